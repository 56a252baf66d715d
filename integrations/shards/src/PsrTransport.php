<?php

declare(strict_types=1);

namespace Postings\Shards;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Psr\Http\Message\StreamInterface;

/**
 * Sends requests by a PSR-18 client: one after the other, as these clients wait for each response. Its own time limits are those
 * that hold.
 */
final class PsrTransport implements Transport
{
    /** @var array<int, Reply> */
    private array $replies = [];
    private int $last = 0;

    public function __construct(
        private readonly ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    public function start(string $url, string $body, float $seconds): int
    {
        $request = $this->requests->createRequest('POST', $url)
            ->withHeader('Content-Type', 'application/octet-stream')
            ->withBody($this->streams->createStream($body));
        try {
            $response = $this->client->sendRequest($request);
            $retryAfter = $response->getHeaderLine('Retry-After');
            $body = self::read($response->getBody());
            $reply = $body === null
                ? Reply::tooLarge($url)
                : new Reply($response->getStatusCode(), $body, is_numeric($retryAfter) ? (float) $retryAfter : null);
        } catch (ClientExceptionInterface|\RuntimeException $error) {
            $reply = new Reply(0, $error->getMessage());
        }
        $this->replies[++$this->last] = $reply;
        return $this->last;
    }

    /** What a stream has; `null` if that is too much. */
    private static function read(StreamInterface $stream): ?string
    {
        if ($stream->isSeekable()) {
            $stream->rewind();
        }
        $body = '';
        while (!$stream->eof()) {
            $body .= $stream->read(1 << 16);
            if (strlen($body) > self::MOST_BYTES) {
                return null;
            }
        }
        return $body;
    }

    public function wait(float $seconds): array
    {
        [$replies, $this->replies] = [$this->replies, []];
        return $replies;
    }

    public function cancel(int $number): void
    {
        unset($this->replies[$number]);
    }
}
