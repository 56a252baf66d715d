"""Tests of build.py, in one Spark application of two executors: python test.py EXTENSION [NAME …] (test.sh does all of it)."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

from pyspark.sql import SparkSession

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import build  # noqa: E402

DOCUMENTS = 6000
SCHEMA = {
    'fields': {'text': {'stored': True}, 'title': {'weight': 3, 'analyzer': {'fold': True}}, 'brand': {'keyword': True},
               'price': {'numeric': True, 'stored': True}},
    'analyzer': {'language': 'english'},
}
TEXT_SCHEMA = {'fields': {'text': {'stored': True}}, 'analyzer': {'language': 'english'}}


class Tests:
    def __init__(self, spark, extension, folder):
        self.spark, self.folder = spark, folder
        php = os.environ.get('PHP', 'php')
        self.php = [php, '-n', '-d', f'extension={extension}', '-d', 'postings.opencl=0', '-d', 'memory_limit=1G']
        self.passed = self.failed = 0

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        with open(self.path(name), 'w') as file:
            file.write(text)
        return self.path(name)

    def check(self, *arguments):
        result = subprocess.run([*self.php, os.path.join(HERE, 'check.php'), *arguments], capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout.strip()

    def build(self, output, *arguments, php=None):
        """Builds into a folder of outputs, of which nothing else may be left."""
        before = set(os.listdir(self.path('out')))
        options = build.parse(['--output', self.path('out', output), '--php', shlex.join(php or self.php), *arguments])
        try:
            documents, _ = build.build(self.spark, options)
            before.add(output)
        finally:
            left = set(os.listdir(self.path('out'))) - before
            assert not left, f'{left} is left over'
        return documents

    def refused(self, output, *arguments):
        """The message with which build.py ends."""
        try:
            self.build(output, *arguments)
        except SystemExit as end:
            return str(end)
        raise AssertionError('nothing was refused')

    def run(self, name, test):
        if len(sys.argv) > 2 and not any(part in name for part in sys.argv[2:]):
            return
        try:
            said = test()
            self.passed += 1
            print(f'ok: {name}' + (f': {said}' if said else ''), flush=True)
        except Exception as error:  # the others run all the same
            self.failed += 1
            print(f'FAILED: {name}: {error}', flush=True)

    def merged(self):
        self.build('merged', *self.json, '--partitions', '8', '--merge')
        return self.check('same', self.path('reference'), self.path('out', 'merged'))

    def parquet(self):
        types = 'id string, title string, text string, brand string, price double'
        rows = self.spark.read.schema(types).json(self.path('json', 'a.json'))
        rows.unionAll(self.spark.read.schema(types).json(self.path('json', 'b.json'))).write.parquet(self.path('parquet'))
        files = [name for name in os.listdir(self.path('parquet')) if name.endswith('.parquet')]
        assert len(files) > 1, files
        self.build('parquet', '--input', self.path('parquet'), '--format', 'parquet', '--schema', self.path('schema.json'),
                   '--partitions', '5', '--merge')
        return self.check('same', self.path('reference'), self.path('out', 'parquet'), 'strings')

    def text(self):
        schema = self.write('text.json', json.dumps(TEXT_SCHEMA))
        self.check('reference', 'text', self.path('text'), schema, self.path('text-reference'))
        self.build('text', '--input', self.path('text'), '--format', 'text', '--schema', schema, '--partitions', '4', '--shards')
        return self.check('shards', self.path('text-reference'), self.path('out', 'text'))

    def scratch(self):
        scratch = tempfile.mkdtemp(dir='/dev/shm')
        try:
            self.build('scratch', *self.json, '--partitions', '3', '--shards', '--scratch', scratch)
            left = os.listdir(scratch)
            assert not left, f'{left} is left over in {scratch}'
        finally:
            shutil.rmtree(scratch)
        return self.check('shards', self.path('reference'), self.path('out', 'scratch'))

    def killed(self):
        marks = self.path('marks')
        os.mkdir(marks)
        php = [*self.php, '-d', f'test.marks={marks}', '-d', f'auto_prepend_file={os.path.join(HERE, "kill.inc")}']
        self.build('killed', *self.json, '--partitions', '8', '--merge', php=php)
        assert sorted(os.listdir(marks)) == ['executor', 'task', 'worker'], os.listdir(marks)
        return self.check('same', self.path('reference'), self.path('out', 'killed'))

    def always_killed(self):
        before = os.listdir(self.path('out'))
        try:
            self.build('never', *self.json, '--partitions', '2', '--merge', php=['sh', '-c', 'head -c 90000; kill -9 $$'])
        except AssertionError:
            raise
        except Exception as error:
            assert 'ended with status -9' in str(error), error
        assert os.listdir(self.path('out')) == before

    def empty(self):
        few = self.write('few.json', '{"id": 1, "text": "one fox"}\n\n{"id": "2", "text": "two foxes"}\n')
        arguments = ['--input', few, '--format', 'json', '--schema', self.path('schema.json'), '--partitions', '8']
        self.check('reference', 'json', few, self.path('schema.json'), self.path('few-reference'))
        assert self.build('few', *arguments, '--shards') == 2
        self.check('shards', self.path('few-reference'), self.path('out', 'few'))
        assert self.build('few-merged', *arguments, '--merge') == 2
        self.check('same', self.path('few-reference'), self.path('out', 'few-merged'))
        none = self.write('none.json', '')
        assert self.build('none', '--input', none, *arguments[2:], '--merge') == 0

    def invalid(self):
        lines = {
            'price.json': ('{"id": "lamp-7", "price": "cheap"}', ['"lamp-7"', 'price']),
            'syntax.json': ('{"id": "lamp-8", "price": }', ['not valid JSON', 'lamp-8']),
            'id.json': ('{"title": "Lamp without an id"}', ['without', 'Lamp without an id']),
            'float.json': ('{"id": 1.5, "title": "Lamp and a half"}', ['without', 'Lamp and a half']),
        }
        for name, (line, named) in lines.items():
            bad = self.write(name, ''.join(f'{{"id": {i}}}\n' for i in range(100)) + line + '\n')
            message = self.refused('bad', '--input', bad, '--format', 'json', '--schema', self.path('schema.json'),
                                   '--partitions', '2', '--merge')
            assert all(part in message for part in named), message
        bad = self.write('no-tab.txt', 'a\tfox\nno tab is here\n')
        message = self.refused('bad', '--input', bad, '--format', 'text', '--schema', self.path('text.json'), '--shards')
        assert 'no tab is here' in message, message

    def there_already(self):
        arguments = [*self.json, '--merge']
        assert 'there already' in self.refused('merged', *arguments)
        missing = self.refused('bad', '--input', self.path('parquet'), '--format', 'parquet', '--id', 'sku',
                               '--schema', self.path('schema.json'), '--merge')
        assert 'no column sku' in missing, missing

    def attempts(self):
        """Two attempts at the same time, a third one later, and one whose input ends early."""
        worker = [*self.php, os.path.join(build.HERE, 'worker.php')]
        os.mkdir(self.path('race'))
        job = {'schema': SCHEMA, 'id': 'id', 'partition': 0, 'partitions': 1, 'memory': 64 << 20, 'threads': 1,
               'folder': self.path('race', 'part')}
        lines = ''.join(f'+{{"id": {i}, "text": "fox {i}"}}\n' for i in range(1000))

        def begin(name, lines):
            process = subprocess.Popen(worker, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            process.stdin.write(json.dumps({**job, 'attempt': self.path('race', name)}) + '\n' + lines)
            process.stdin.flush()
            return process

        cut = begin('cut', lines)
        said = cut.communicate()
        assert cut.returncode == 1 and 'ended after 1000 documents' in said[1], said
        assert not os.path.exists(job['folder'])

        def succeeds(process):
            said = process.communicate()
            assert process.returncode == 0 and json.loads(said[0]) == {'documents': 1000}, said

        both = [begin('one', lines), begin('two', lines)]
        for process in both:
            process.stdin.write('.1000\n')
            process.stdin.flush()
        for process in both:
            succeeds(process)
        succeeds(begin('late', ''))
        whole = self.write('race.json', ''.join(line[1:] for line in lines.splitlines(True)))
        self.check('reference', 'json', whole, self.path('schema.json'), self.path('race-reference'))
        return self.check('same', self.path('race-reference'), job['folder'])

    def all(self):
        os.mkdir(self.path('out'))
        subprocess.run([*self.php, os.path.join(HERE, 'documents.php'), str(DOCUMENTS), self.folder], check=True)
        schema = self.write('schema.json', json.dumps(SCHEMA))
        self.json = ['--input', self.path('json'), '--format', 'json', '--schema', schema]
        print(self.check('reference', 'json', self.path('json'), schema, self.path('reference')), flush=True)
        self.run('JSON lines, merged, are the index of one process', self.merged)
        self.run('Parquet, merged', self.parquet)
        self.run('text, as shards', self.text)
        self.run('built on another file system', self.scratch)
        self.run('a worker, a task and an executor are killed', self.killed)
        self.run('workers are killed always', self.always_killed)
        self.run('partitions without documents', self.empty)
        self.run('documents that are not valid', self.invalid)
        self.run('wrong arguments', self.there_already)
        self.run('several attempts', self.attempts)
        print(f'spark: {self.passed} passed, {self.failed} failed')
        return self.failed


def main():
    folder = tempfile.mkdtemp(prefix='postings-spark.')
    os.environ['SPARK_WORKER_DIR'] = os.path.join(folder, 'executors')
    # Small splits, so that the order of documents is that of many tasks.
    spark = (SparkSession.builder.master('local-cluster[2,1,1024]').appName('Postings: tests')
             .config('spark.ui.enabled', 'false').config('spark.ui.showConsoleProgress', 'false').config('spark.sql.files.maxPartitionBytes', '200k')
             .config('spark.sql.files.openCostInBytes', '1k').getOrCreate())
    spark.sparkContext.setLogLevel('OFF')
    spark.sparkContext.addPyFile(build.__file__)
    try:
        return 1 if Tests(spark, sys.argv[1], folder).all() else 0
    finally:
        spark.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == '__main__':
    sys.exit(main())
