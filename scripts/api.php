<?php

/**
 * Makes docs/api.md of the stubs: classes, cases, constants, properties, methods and functions, each with its signature
 * and what its comment says.
 *
 *     php -n scripts/api.php             writes the page
 *     php -n scripts/api.php --check     says whether the page is that of the stubs; exit status 1 if it is not
 *
 * -n, because the stubs declare what an installed extension has declared already.
 */

declare(strict_types=1);

const WIDTH = 120;

$root = dirname(__DIR__);
$stubs = [
    'index' => 'Searching', 'hits' => 'Hits found', 'stream' => 'Streams', 'filter' => 'Filters', 'shards' => 'Several indexes',
    'writer' => 'Writing',
    'postings' => 'Posting lists', 'yioop' => 'Yioop',
];
$page = <<<'PAGE'
# API

<!-- Made of stubs/ by `make docs`: do not edit it. -->

Every class, function and enum, from the [stubs](../stubs), which editors and static analysers read. Everything is in the
namespace `Postings`, unless a heading says otherwise. [index.md](index.md) explains the index, [settings.md](settings.md)
the settings.

PAGE;

foreach (array_keys($stubs) as $stub) {
    require "$root/stubs/$stub.stub.php";
}
$contents = $sections = '';
foreach ($stubs as $stub => $title) {
    $file = "$root/stubs/$stub.stub.php";
    $sections .= "\n## $title\n\n" . text(about($file));
    $entries = [];
    foreach ([...classes($file), ...functions($file)] as $name => $section) {
        $sections .= "\n$section";
        $entries[] = sprintf("[`%s`](#%s)", $name, anchor($name));
    }
    $contents .= "\n**[$title](#" . anchor($title) . ")**: " . implode(', ', $entries) . "\n";
}
$page .= $contents . $sections;
$path = "$root/docs/api.md";
if (($argv[1] ?? '') !== '--check') {
    file_put_contents($path, $page);
    echo "docs/api.md\n";
} elseif (!is_file($path) || file_get_contents($path) !== $page) {
    fwrite(STDERR, "docs/api.md is not what the stubs say: run `make docs`\n");
    exit(1);
}

/** The comment at the top of a stub, which is about all that it declares. */
function about(string $file): string
{
    preg_match('~^<\?php\s*/\*\*(.*?)\*/~s', file_get_contents($file), $match);

    return $match[1] ?? '';
}

/** The anchor of a heading. */
function anchor(string $heading): string
{
    return str_replace(' ', '-', preg_replace('/[^\w -]/', '', strtolower($heading)));
}

/** @return array<string, string> the classes, interfaces and enums that a file declares: a section each, by name */
function classes(string $file): array
{
    $sections = $lines = [];
    foreach ([...get_declared_classes(), ...get_declared_interfaces()] as $name) {
        $class = new ReflectionClass($name);
        if ($class->getFileName() !== $file) {
            continue;
        }
        $declared = file($file)[$class->getStartLine() - 1];
        $section = '### ' . short($name) . "\n\n```php\n" . trim($declared) . "\n```\n\n" . text($class->getDocComment());
        if ($class->isEnum()) {
            $section .= "\n| case | value | meaning |\n|---|---|---|\n";
            foreach ((new ReflectionEnum($name))->getCases() as $case) {
                $meaning = str_replace(["\n", '|'], [' ', '\|'], trim(text($case->getDocComment())));
                $section .= "| `{$case->name}` | `'{$case->getBackingValue()}'` | $meaning |\n";
            }
        }
        foreach ($class->getReflectionConstants() as $constant) {
            if (!$constant->isEnumCase() && $constant->class === $name) {
                $section .= sprintf("\n`const %s = %s`\n\n%s", $constant->name, var_export($constant->getValue(), true), text($constant->getDocComment()));
            }
        }
        foreach ($class->getProperties(ReflectionProperty::IS_PUBLIC) as $property) {
            if (!$class->isEnum()) {
                $modifiers = implode(' ', Reflection::getModifierNames($property->getModifiers()));
                $section .= sprintf("\n#### %s::\$%s\n\n```php\n%s %s \$%2\$s\n```\n\n%s", short($name), $property->name, $modifiers, type($property->getType()), text($property->getDocComment()));
            }
        }
        foreach ($class->getMethods(ReflectionMethod::IS_PUBLIC) as $method) {
            if ($method->getFileName() === $file && $method->class === $name) {
                $section .= sprintf("\n#### %s::%s()\n\n%s", short($name), $method->name, callable_($method));
            }
        }
        $sections[short($name)] = $section;
        $lines[short($name)] = $class->getStartLine();
    }
    uksort($sections, static fn (string $a, string $b): int => $lines[$a] <=> $lines[$b]);

    return $sections;
}

/** @return array<string, string> the functions that a file declares: a section each, by name */
function functions(string $file): array
{
    $sections = [];
    foreach (get_defined_functions()['user'] as $name) {
        $function = new ReflectionFunction($name);
        if ($function->getFileName() === $file) {
            $name = short($function->getName()) . '()';
            $sections[$name] = "### $name\n\n" . callable_($function);
        }
    }

    return $sections;
}

/** A name without the namespace of nearly all. */
function short(string $name): string
{
    return preg_replace('/^Postings\\\\/', '', $name);
}

function type(?ReflectionType $type): string
{
    return implode('|', array_map(short(...), explode('|', (string) $type)));
}

/** The signature of a method or function, and its comment. */
function callable_(ReflectionFunctionAbstract $function): string
{
    $modifiers = $function instanceof ReflectionMethod ? implode(' ', Reflection::getModifierNames($function->getModifiers())) . ' ' : '';
    $parameters = array_map(parameter(...), $function->getParameters());
    $name = $function instanceof ReflectionMethod ? $function->name : substr((string) strrchr('\\' . $function->getName(), '\\'), 1);
    $returns = $function->hasReturnType() ? ': ' . str_replace('?Postings\\', '?', type($function->getReturnType())) : '';
    $line = "{$modifiers}function $name(" . implode(', ', $parameters) . ")$returns";
    if (strlen($line) > WIDTH) {
        $line = "{$modifiers}function $name(\n    " . implode(",\n    ", $parameters) . ",\n)$returns";
    }

    return "```php\n$line\n```\n\n" . text($function->getDocComment());
}

function parameter(ReflectionParameter $parameter): string
{
    $text = str_replace('?Postings\\', '?', type($parameter->getType())) . ' ';
    $text .= ($parameter->isPassedByReference() ? '&' : '') . ($parameter->isVariadic() ? '...' : '') . '$' . $parameter->name;
    if (!$parameter->isDefaultValueAvailable()) {
        return $text;
    }
    $default = $parameter->getDefaultValue();

    return $text . ' = ' . match (true) {
        $default instanceof UnitEnum => short($default::class) . '::' . $default->name,
        $default === [] => '[]',
        $default === null => 'null',
        default => var_export($default, true),
    };
}

/** A comment as Markdown: its text, then parameters, what is returned and what is thrown. */
function text(string|false $comment): string
{
    $comment = preg_replace('~^\s*/\*\*|\*/\s*$~', '', (string) $comment);
    $lines = array_map(static fn (string $line): string => preg_replace('/^\s*\* ?/', '', rtrim($line)), explode("\n", $comment));
    $prose = [];
    $tags = [];
    foreach ($lines as $line) {
        if (str_starts_with(ltrim($line), '@')) {
            $tags[] = trim($line);
        } elseif ($tags !== []) {
            $tags[count($tags) - 1] .= ' ' . trim($line);
        } else {
            $prose[] = str_starts_with($line, '    ') ? $line : plain($line);
        }
    }
    $parts = ['param' => [], 'return' => [], 'throws' => [], 'var' => []];
    foreach ($tags as $tag) {
        [$name, $rest] = explode(' ', substr(trim($tag), 1), 2) + [1 => ''];
        [$type, $rest] = type_and_rest($rest);
        $rest = plain(trim($rest));
        $type = '`' . str_replace('|', '\|', str_replace(['\\Postings\\'], '', $type)) . '`';
        $type = str_replace('\|', '|', $type);
        if ($name === 'param') {
            [$variable, $meaning] = explode(' ', $rest, 2) + [1 => ''];
            $parts['param'][] = "- `$variable` ($type)" . ($meaning === '' ? '' : ": $meaning");
        } elseif ($name === 'return') {
            $parts['return'][] = "- Returns $type" . ($rest === '' ? '' : ": $rest");
        } elseif ($name === 'throws') {
            $parts['throws'][] = "- Throws $type" . ($rest === '' ? '' : " $rest");
        } elseif ($name === 'var') {
            $parts['var'][] = "- As $type" . ($rest === '' ? '' : ": $rest");
        }
    }
    $list = implode("\n", array_map(wrap(...), array_merge(...array_values($parts))));
    $prose = trim(implode("\n", $prose), "\n");
    // A block of code needs an empty line before it; the stubs have one.
    return implode("\n\n", array_filter([$prose, $list], static fn (string $part): bool => $part !== '')) . ($prose . $list === '' ? '' : "\n");
}

/** An item of a list, in lines. */
function wrap(string $item): string
{
    return str_replace("\n", "\n  ", wordwrap($item, WIDTH - 2, "\n"));
}

/** What HTML would take for a tag, outside code. */
function plain(string $line): string
{
    $parts = explode('`', $line);
    foreach ($parts as $at => $part) {
        $parts[$at] = $at % 2 === 1 ? $part : str_replace('<', '&lt;', $part);
    }

    return implode('`', $parts);
}

/** @return array{string, string} a type, which may have spaces within brackets, and what follows */
function type_and_rest(string $text): array
{
    $depth = 0;
    for ($at = 0; $at < strlen($text); $at++) {
        $depth += (int) str_contains('<{(', $text[$at]) - (int) str_contains('>})', $text[$at]);
        if ($depth === 0 && $text[$at] === ' ' && $text[$at - 1] !== ':') {
            break;
        }
    }

    return [substr($text, 0, $at), substr($text, $at)];
}
