<?php

declare(strict_types=1);

namespace Psr\SimpleCache {
    // PSR-16's interface, where its package is not installed.
    if (!interface_exists(CacheInterface::class)) {
        interface CacheInterface
        {
            public function get(string $key, mixed $default = null): mixed;

            public function set(string $key, mixed $value, null|int|\DateInterval $ttl = null): bool;

            public function delete(string $key): bool;

            public function clear(): bool;

            public function getMultiple(iterable $keys, mixed $default = null): iterable;

            public function setMultiple(iterable $values, null|int|\DateInterval $ttl = null): bool;

            public function deleteMultiple(iterable $keys): bool;

            public function has(string $key): bool;
        }
    }
}

namespace Postings\Shards\Tests {
    /** Keeps values as long as the object. */
    final class FakeCache implements \Psr\SimpleCache\CacheInterface
    {
        /** @var array<string, mixed> */
        public array $values = [];

        public function get(string $key, mixed $default = null): mixed
        {
            return $this->values[$key] ?? $default;
        }

        public function set(string $key, mixed $value, null|int|\DateInterval $ttl = null): bool
        {
            $this->values[$key] = unserialize(serialize($value));
            return true;
        }

        public function delete(string $key): bool
        {
            unset($this->values[$key]);
            return true;
        }

        public function clear(): bool
        {
            $this->values = [];
            return true;
        }

        public function getMultiple(iterable $keys, mixed $default = null): iterable
        {
            foreach ($keys as $key) {
                yield $key => $this->get($key, $default);
            }
        }

        public function setMultiple(iterable $values, null|int|\DateInterval $ttl = null): bool
        {
            foreach ($values as $key => $value) {
                $this->set($key, $value);
            }
            return true;
        }

        public function deleteMultiple(iterable $keys): bool
        {
            foreach ($keys as $key) {
                $this->delete($key);
            }
            return true;
        }

        public function has(string $key): bool
        {
            return isset($this->values[$key]);
        }
    }
}
