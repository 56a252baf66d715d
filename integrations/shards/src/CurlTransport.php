<?php

declare(strict_types=1);

namespace Postings\Shards;

/** Sends all requests at the same time, by curl; connections are kept. */
final class CurlTransport implements Transport
{
    /** Connections that are kept. */
    private const MOST_CONNECTIONS = 1024;

    private \CurlMultiHandle $multi;
    /** @var array<int, \CurlHandle> by number */
    private array $handles = [];
    /** @var array<int, int> the number of a request by that of its handle's object */
    private array $numbers = [];
    /** @var array<int, string> what has come, by the number of the handle's object */
    private array $bodies = [];
    /** @var list<\CurlHandle> those that can be used again */
    private array $idle = [];
    private int $last = 0;

    /** @param list<string> $headers sent with each request, as `Authorization: Bearer …` */
    public function __construct(private readonly array $headers = [])
    {
        $this->multi = curl_multi_init();
        // Otherwise it closes what is more than four for each request under way.
        curl_multi_setopt($this->multi, CURLMOPT_MAXCONNECTS, self::MOST_CONNECTIONS);
    }

    public function start(string $url, string $body, float $seconds): int
    {
        $handle = array_pop($this->idle) ?? $this->handle();
        // Never one that was used before: a reply of that one may still be waited for.
        $number = $this->numbers[spl_object_id($handle)] = ++$this->last;
        $milliseconds = max(1, (int) ceil(1000 * $seconds));
        curl_setopt($handle, CURLOPT_URL, $url);
        curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
        curl_setopt($handle, CURLOPT_TIMEOUT_MS, $milliseconds);
        curl_setopt($handle, CURLOPT_CONNECTTIMEOUT_MS, $milliseconds);
        $this->handles[$number] = $handle;
        $this->bodies[spl_object_id($handle)] = '';
        // wait() sends it: with all others that were started, at once.
        curl_multi_add_handle($this->multi, $handle);
        return $number;
    }

    /** What all requests have in common. */
    private function handle(): \CurlHandle
    {
        $handle = curl_init();
        curl_setopt_array($handle, [
            // An empty Expect: or curl waits a second for leave to send a large body.
            CURLOPT_HTTPHEADER => ['Content-Type: application/octet-stream', 'Expect:', ...$this->headers],
            CURLOPT_WRITEFUNCTION => $this->receive(...),
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TCP_NODELAY => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
        ]);
        return $handle;
    }

    /** How many bytes are taken: none ends the transfer. */
    private function receive(\CurlHandle $handle, string $bytes): int
    {
        $body = &$this->bodies[spl_object_id($handle)];
        if (strlen($body) + strlen($bytes) > self::MOST_BYTES) {
            return 0;
        }
        $body .= $bytes;
        return strlen($bytes);
    }

    public function wait(float $seconds): array
    {
        $end = microtime(true) + $seconds;
        do {
            curl_multi_exec($this->multi, $running);
            if ($replies = $this->replies()) {
                return $replies;
            }
            $left = $end - microtime(true);
            if ($left > 0) {
                // It counts in milliseconds: with less than one it would not wait at all.
                curl_multi_select($this->multi, max(0.001, min($left, 0.05)));
            }
        } while ($left > 0);
        return [];
    }

    /** @return array<int, Reply> */
    private function replies(): array
    {
        $replies = [];
        while ($done = curl_multi_info_read($this->multi)) {
            $handle = $done['handle'];
            $number = $this->numbers[spl_object_id($handle)];
            $replies[$number] = match ($done['result']) {
                CURLE_OK => $this->reply($handle),
                CURLE_WRITE_ERROR => Reply::tooLarge(curl_getinfo($handle, CURLINFO_EFFECTIVE_URL)),
                default => new Reply(0, curl_error($handle) ?: curl_strerror($done['result'])),
            };
            $this->release($number);
        }
        return $replies;
    }

    private function reply(\CurlHandle $handle): Reply
    {
        $status = curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
        // 0 also stands for none.
        $retryAfter = $status === 200 ? 0 : curl_getinfo($handle, CURLINFO_RETRY_AFTER);
        return new Reply($status, $this->bodies[spl_object_id($handle)], $retryAfter > 0 ? (float) $retryAfter : null);
    }

    public function cancel(int $number): void
    {
        $this->release($number);
    }

    private function release(int $number): void
    {
        if ($handle = $this->handles[$number] ?? null) {
            curl_multi_remove_handle($this->multi, $handle);
            $this->idle[] = $handle;
            unset($this->handles[$number], $this->bodies[spl_object_id($handle)]);
        }
    }
}
