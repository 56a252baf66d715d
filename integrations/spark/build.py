"""Builds an index of Postings with Spark: README.md. Needs Spark 4.1, and on each machine PHP with the extension."""

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

from pyspark import SparkFiles, TaskContext
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = ['schema.php', 'worker.php']
# The exit status of worker.php for a document that is not valid.
INVALID = 65


def parse(arguments):
    parser = argparse.ArgumentParser(description='Builds an index of Postings with Spark.')
    parser.add_argument('--input', required=True, nargs='+', help='files or folders, as Spark reads them')
    parser.add_argument('--format', required=True, choices=['parquet', 'json', 'text'],
                        help='Parquet, an object per line, or lines of id, tab, and text for the first field')
    parser.add_argument('--id', default='id', help='the column of ids: integers or strings')
    parser.add_argument('--schema', required=True, help='a JSON file: fields, analyzer, positions')
    parser.add_argument('--partitions', type=int, help='how many indexes are built; one for each core if not given')
    parser.add_argument('--output', required=True, help='a folder that does not exist, in one that all machines share')
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument('--merge', action='store_true', help='make one index of them')
    kind.add_argument('--shards', action='store_true', help='leave them as they are, with a manifest.json')
    parser.add_argument('--php', default='php', help='the command that starts PHP with the extension')
    parser.add_argument('--memory', type=int, default=64, help='MiB for documents that a worker has not written yet')
    parser.add_argument('--scratch', help="a folder on each machine's own disk, to build in before copying to the output")
    return parser.parse_args(arguments)


def documents(spark, options, fields):
    """A document as JSON per row (`line`), and what its id is as a string (`key`), with the order of the input."""
    read = spark.read.parquet if options.format == 'parquet' else spark.read.text
    rows = read(*options.input) if options.format == 'parquet' else read(options.input)
    order = [F.col('_metadata.file_path').alias('path'), F.col('_metadata.file_block_start').alias('block'),
             F.monotonically_increasing_id().alias('row')]
    if options.format == 'parquet':
        kinds = dict(rows.dtypes)
        missing = [name for name in [options.id, *fields] if name not in kinds]
        if missing:
            raise SystemExit(f'build.py: the input has no column {", ".join(missing)}')
        columns = list(dict.fromkeys([options.id, *fields]))
        line = F.to_json(F.struct(*[rows[f'`{name}`'] for name in columns]))
        return rows.select(line.alias('line'), rows[f'`{options.id}`'].cast('string').alias('key'), *order)
    rows = rows.select('value', *order).where(F.trim('value') != '')
    if options.format == 'json':
        return rows.select(F.col('value').alias('line'), F.get_json_object('value', f"$['{options.id}']").alias('key'),
                           'path', 'block', 'row')
    parts = F.split('value', '\t', 2)
    key = F.when(F.size(parts) == 2, F.get(parts, F.lit(0)))
    text = F.coalesce(F.get(parts, F.lit(1)), F.col('value'))
    return rows.select(F.to_json(F.struct(key.alias(options.id), text.alias(next(iter(fields))))).alias('line'),
                       key.alias('key'), 'path', 'block', 'row')


def run_php(command, lines):
    """Gives PHP these lines; returns its exit status, what it printed, and its messages."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(command, bufsize=1 << 20, stdin=subprocess.PIPE, stdout=printed, stderr=messages)
        try:
            try:
                for line in lines:
                    process.stdin.write(line.encode())
                process.stdin.close()
            except BrokenPipeError:
                pass  # It has ended, and says why.
            status = process.wait()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        printed.seek(0)
        messages.seek(0)
        return status, printed.read().decode(errors='replace'), messages.read().decode(errors='replace').strip()


def build_part(job, partition, rows):
    """Builds the index of a partition; runs in a task, perhaps in several attempts, also at the same time."""
    name = f'{partition:04}-{TaskContext.get().taskAttemptId()}-{uuid.uuid4().hex}'
    attempt = os.path.join(job['attempts'], name)
    scratch = os.path.join(job['scratch'], name) if job['scratch'] else None
    header = {**job, 'partition': partition, 'attempt': attempt, 'scratch': scratch, 'threads': TaskContext.get().cpus(),
              'folder': os.path.join(job['parts'], shard_name(partition))}

    def lines():
        yield json.dumps(header) + '\n'
        # The last row says that it is the last: PySpark takes the death of an executor for the end of the rows.
        count, ended = 0, False
        for row in rows:
            if row.line is None:
                ended = True
            else:
                yield f'+{row.line}\n'
                count += 1
        if not ended:
            raise RuntimeError(f'partition {partition}: the rows ended early, after {count}')
        yield f'.{count}\n'

    try:
        status, printed, messages = run_php([*job['php'], SparkFiles.get('worker.php')], lines())
    finally:
        for folder in filter(None, [attempt, scratch]):
            shutil.rmtree(folder, ignore_errors=True)
    if status == INVALID:
        return {'partition': partition, 'invalid': messages}
    if status != 0:
        raise RuntimeError(f'partition {partition}: worker.php ended with status {status}: {messages}')
    return {'partition': partition, **json.loads(printed)}


def shard_name(partition):
    return f'shard-{partition:04}'


def make_durable(folder):
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def collect(job, results, merged):
    """Makes one index of the parts."""
    parts = [os.path.join(job['parts'], shard_name(result['partition'])) for result in results]
    header = {**job, 'parts': parts, 'folder': merged, 'threads': os.cpu_count()}
    status, printed, messages = run_php([*job['php'], os.path.join(HERE, 'collect.php')], [json.dumps(header) + '\n'])
    if status != 0:
        raise SystemExit(f'build.py: collect.php ended with status {status}: {messages}')
    return json.loads(printed)['documents']


def write_manifest(job, results):
    shards = [{'folder': shard_name(result['partition']), 'documents': result['documents']} for result in results]
    manifest = {'version': 1, 'shard': 'crc32(id) % shards', 'documents': sum(shard['documents'] for shard in shards),
                'shards': shards}
    with open(os.path.join(job['parts'], 'manifest.json'), 'w') as file:
        json.dump(manifest, file, indent=1)
        file.write('\n')
        file.flush()
        os.fsync(file.fileno())


def build(spark, options):
    """Builds the index; returns how many documents it has, and when the parts were done."""
    output = os.path.abspath(options.output)
    if os.path.lexists(output):
        raise SystemExit(f'build.py: {output} is there already')
    with open(options.schema) as file:
        schema = json.load(file)
    partitions = options.partitions or spark.sparkContext.defaultParallelism
    # Everything happens in a folder of this run. What the output's name shows was whole before.
    work = f'{output}.{uuid.uuid4().hex}'
    job = {'schema': schema, 'id': options.id, 'partitions': partitions, 'php': shlex.split(options.php),
           'memory': options.memory << 20, 'scratch': options.scratch,
           'attempts': os.path.join(work, 'attempts'), 'parts': os.path.join(work, 'parts')}
    for program in PROGRAMS:
        spark.sparkContext.addFile(os.path.join(HERE, program))
    # Adaptive execution may join partitions that are small.
    spark.conf.set('spark.sql.adaptive.enabled', 'false')
    try:
        os.makedirs(job['attempts'])
        os.mkdir(job['parts'])
        part = F.coalesce(F.pmod(F.crc32(F.col('key').cast('binary')), F.lit(partitions)), F.lit(0)).cast('int')
        rows = documents(spark, options, schema['fields'])
        rows = rows.select('line', part.alias('part'), F.lit(False).alias('is_end'), 'path', 'block', 'row')
        ends = spark.range(partitions).select(
            F.lit(None).cast('string').alias('line'), F.col('id').cast('int').alias('part'), F.lit(True).alias('is_end'),
            F.lit('').alias('path'), F.lit(0).cast('long').alias('block'), F.lit(0).cast('long').alias('row'))
        rows = rows.unionAll(ends).repartitionById(partitions, 'part').sortWithinPartitions('is_end', 'path', 'block', 'row')
        results = rows.select('line').rdd.mapPartitionsWithIndex(
            lambda partition, rows: [build_part(job, partition, rows)]).collect()
        invalid = [result for result in results if 'invalid' in result]
        if invalid:
            raise SystemExit('\n'.join(f'build.py: partition {result["partition"]}: {result["invalid"]}' for result in invalid))
        total = sum(result['documents'] for result in results)
        built = time.monotonic()
        whole = job['parts']
        if options.merge:
            whole = os.path.join(work, 'merged')
            if collect(job, results, whole) != total:
                raise SystemExit('build.py: the merged index lacks documents')
        else:
            write_manifest(job, results)
        make_durable(whole)
        os.rename(whole, output)
        make_durable(os.path.dirname(output))
        return total, built
    finally:
        shutil.rmtree(work, ignore_errors=True)


def main():
    options = parse(sys.argv[1:])
    spark = SparkSession.builder.appName('Postings').getOrCreate()
    begin = time.monotonic()
    total, built = build(spark, options)
    what = 'merged' if options.merge else 'named in the manifest'
    print(f'{options.output}: {total} documents, built in {built - begin:.1f} s, {what} in {time.monotonic() - built:.1f} s')


if __name__ == '__main__':
    main()
