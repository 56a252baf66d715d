<?php

/**
 * Tests search-as-you-type: the server's answers, and the page in headless Chromium, typed into by its debugging protocol.
 *
 *     php -n examples/search-as-you-type/test.php path/to/postings.so
 */

declare(strict_types=1);

$extension = realpath($argv[1] ?? '');
if ($extension === false) {
    fwrite(STDERR, "php -n examples/search-as-you-type/test.php path/to/postings.so\n");
    exit(2);
}
$passed = $failed = $skipped = 0;
$check = static function (string $what, bool $good, mixed $instead = null) use (&$passed, &$failed): void {
    $good ? ++$passed : ++$failed;
    echo $good ? '' : "FAILED: $what: " . substr((string) json_encode($instead, JSON_UNESCAPED_UNICODE), 0, 500) . "\n";
};

/** Chromium, spoken to by JSON messages that end with NUL, on its file descriptors 3 (to it) and 4 (from it). */
final class Browser
{
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];
    private int $number = 0;
    private string $read = '';
    private string $session = '';

    public function __construct(string $program, private readonly string $profile)
    {
        $this->process = proc_open(
            [$program, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', '--remote-debugging-pipe', "--user-data-dir=$profile"],
            [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', "$profile.log", 'w'], ['pipe', 'r'], ['pipe', 'w']],
            $this->pipes,
        );
    }

    public function visit(string $address): void
    {
        $this->session = '';
        $target = $this->send('Target.createTarget', ['url' => $address])['targetId'];
        $this->session = $this->send('Target.attachToTarget', ['targetId' => $target, 'flatten' => true])['sessionId'];
    }

    public function type(string $text): void
    {
        foreach (str_split($text) as $character) {
            $this->send('Input.dispatchKeyEvent', ['type' => 'keyDown', 'text' => $character]);
            $this->send('Input.dispatchKeyEvent', ['type' => 'keyUp']);
        }
    }

    public function evaluate(string $script): mixed
    {
        return $this->send('Runtime.evaluate', ['expression' => $script, 'returnByValue' => true])['result']['value'] ?? null;
    }

    /** The value of a script once it is true, or its last one after ten seconds. */
    public function wait(string $script): mixed
    {
        for ($i = 0; $i < 200 && !($value = $this->evaluate($script)); ++$i) {
            usleep(50_000);
        }
        return $value;
    }

    public function end(): void
    {
        array_map('fclose', $this->pipes);
        proc_terminate($this->process);
        proc_close($this->process);
        exec('rm -rf ' . escapeshellarg($this->profile) . ' ' . escapeshellarg("$this->profile.log"));
    }

    /** @return array<string, mixed> */
    private function send(string $method, array $parameters): array
    {
        $message = ['id' => ++$this->number, 'method' => $method, 'params' => (object) $parameters];
        fwrite($this->pipes[3], json_encode($this->session === '' ? $message : $message + ['sessionId' => $this->session]) . "\0");
        while (true) {
            while (($end = strpos($this->read, "\0")) === false) {
                $ready = [$this->pipes[4]];
                $none = null;
                $bytes = stream_select($ready, $none, $none, 30) ? fread($this->pipes[4], 1 << 16) : '';
                if ($bytes === '' || $bytes === false) {
                    throw new RuntimeException("the browser does not answer $method: " . substr((string) @file_get_contents("$this->profile.log"), 0, 2000));
                }
                $this->read .= $bytes;
            }
            $answer = json_decode(substr($this->read, 0, $end), true);
            $this->read = substr($this->read, $end + 1);
            // Others are events.
            if (($answer['id'] ?? null) === $this->number) {
                return $answer['result'] ?? throw new RuntimeException("$method: " . json_encode($answer['error']));
            }
        }
    }
}

// A free port: the system's choice, given back.
$socket = stream_socket_server('tcp://127.0.0.1:0');
$address = stream_socket_get_name($socket, false);
fclose($socket);
$server = proc_open(
    [PHP_BINARY, '-n', '-d', "extension=$extension", '-S', $address, __DIR__ . '/index.php'],
    [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']],
    $pipes,
);
register_shutdown_function(static function () use ($server): void {
    proc_terminate($server);
    proc_close($server);
});
/** @return array{int, string} status and body */
$get = static function (string $path) use ($address): array {
    $body = @file_get_contents("http://$address$path", false, stream_context_create(['http' => ['ignore_errors' => true, 'timeout' => 60]]));
    return [(int) substr($http_response_header[0] ?? '', 9, 3), (string) $body];
};
$ask = static fn (string $typed): array => json_decode($get('/search?q=' . rawurlencode($typed))[1], true) ?? [];
for ($i = 0; $i < 100 && $get('/')[0] !== 200; ++$i) {
    usleep(50_000);
}

$check('the page', str_contains($get('/')[1], '<input id="q"'), $get('/'));
$check('another page', $get('/../README.md')[0] === 404 && $get('/index.php')[0] === 404, $get('/index.php'));
$answer = $ask('posting li');
$check('hits', $answer['total'] > 5 && count($answer['hits']) === 8, $answer);
$check('marks', str_contains($answer['hits'][0]['title'] . $answer['hits'][0]['snippet'], '<mark>'), $answer);
$check('completions', in_array('list', $answer['completions'], true) && in_array('lists', $answer['completions'], true), $answer);
$marks = static function (string $typed) use ($ask): string {
    preg_match_all('~<mark>(.*?)</mark>~', implode(' ', array_map(static fn (array $hit): string => $hit['title'] . ' ' . $hit['snippet'], $ask($typed)['hits'])), $found);
    return strtolower(implode(' ', $found[1]));
};
$check('a typing error is marked', str_contains($marks('postnig'), 'posting'), $marks('postnig'));
$check('a beginning is marked', str_contains($marks('inters'), 'intersect'), $marks('inters'));
$check('a phrase is one mark', str_contains($marks('"posting lists"'), 'posting lists'), $marks('"posting lists"'));
$check('a typing error', $ask('postnig lists')['total'] > 0 && str_contains($ask('postnig lists')['hits'][0]['title'] . $ask('postnig lists')['hits'][0]['snippet'], '<mark>'), $ask('postnig lists'));
$check('facets', ($answer['facets']['page'] ?? []) !== [] && array_sum($answer['facets']['page']) <= $answer['total'], $answer['facets']);
$page = (string) array_key_first($answer['facets']['page']);
$narrowed = json_decode($get('/search?q=posting+li&page=' . rawurlencode($page))[1], true);
$check('a facet that was chosen', $narrowed['total'] === $answer['facets']['page'][$page], $narrowed);
$check('a filter that is no text', isset(json_decode($get('/search?q=list&page[]=1')[1], true)['hits']));
$check('nothing typed', $ask('')['hits'] === [] && $ask('')['total'] === 0, $ask(''));
foreach (['"', '-', '*', '~', 'a"b', "\xff", '<script>', 'q[]', str_repeat('word ', 1000)] as $typed) {
    $check("an answer to " . substr($typed, 0, 10), isset($ask($typed)['hits']), $get('/search?q=' . rawurlencode($typed)));
}
$check('q is a list', $get('/search?q[]=1')[0] === 200, $get('/search?q[]=1'));
preg_match_all('/<(?!\/?mark>)/', implode('', array_map(static fn (array $hit): string => $hit['title'] . $hit['snippet'], $ask('codec value docs')['hits'])), $tags);
$check('no tags but marks', $tags[0] === [], $tags);

$chromium = trim((string) shell_exec('command -v chromium || command -v chromium-browser || command -v google-chrome'));
if ($chromium === '') {
    ++$skipped;
    echo "SKIPPED: search-as-you-type in a browser: there is no chromium (make test-browser installs it)\n";
} else {
    $browser = new Browser($chromium, sys_get_temp_dir() . '/search-as-you-type-' . getmypid());
    try {
        $browser->visit("http://$address/");
        $check('the input has the focus', $browser->wait("document.activeElement?.id === 'q'"));
        $browser->type('posting li');
        $check('hits appear', $browser->wait("document.querySelectorAll('#hits > li').length === 8 && document.querySelector('#hits mark') !== null"), $browser->evaluate('document.body.innerText'));
        $check('the status says how many', $browser->wait("/^\\d+ found in [\\d.]+ ms$/.test(document.getElementById('status').textContent)"), $browser->evaluate('document.body.innerText'));
        $check('completions appear', $browser->wait("[...document.querySelectorAll('#completions button')].some(button => button.textContent === 'lists')"), $browser->evaluate('document.body.innerText'));
        $browser->evaluate("[...document.querySelectorAll('#completions button')].find(button => button.textContent === 'lists').click()");
        $check('a completion replaces the last word', $browser->evaluate("document.getElementById('q').value") === 'posting lists ', $browser->evaluate("document.getElementById('q').value"));
        $check('the focus is back in the input', $browser->evaluate("document.activeElement.id") === 'q');
        $browser->evaluate("document.querySelector('#facets button').click()");
        $check('a facet narrows the hits to as many as it says', $browser->wait("document.getElementById('status').textContent.startsWith(document.querySelector('#facets button[aria-pressed=true]')?.textContent.split(' ').pop() + ' found')"), $browser->evaluate('document.body.innerText'));
        $browser->evaluate("document.querySelector('#facets button').click()");
        $browser->type('qzxv');
        $check('more typing changes the hits', $browser->wait("document.querySelectorAll('#completions > li').length === 0"), $browser->evaluate('document.body.innerText'));
        $browser->evaluate("document.getElementById('q').value = '<img src=x onerror=\"window.attacked = 1\">'; search()");
        $check('what is typed is never HTML', $browser->wait("!document.getElementById('status').textContent.startsWith('The search failed') && document.getElementById('status').textContent !== ''") && $browser->evaluate("document.querySelector('img')") === null && $browser->evaluate('window.attacked') === null);
        $browser->visit("http://$address/?q=bm25");
        $check('a query in the address', $browser->wait("document.getElementById('q').value === 'bm25' && document.querySelectorAll('#hits mark').length > 0"), $browser->evaluate('document.body.innerText'));
    } finally {
        $browser->end();
    }
}
echo "browser: $passed passed, $failed failed, $skipped skipped\n";
exit($failed === 0 ? 0 : 1);
