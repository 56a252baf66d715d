--TEST--
INI settings: defaults, what is accepted, what is refused, restoring, start-up
--SKIPIF--
<?php
require __DIR__ . '/../child.inc';
skip_without_library();
?>
--FILE--
<?php
require __DIR__ . '/../child.inc';

foreach (ini_get_all('postings') as $name => $entry) {
    echo $name, ' = ', $entry['global_value'], ' (', $entry['access'], ")\n";
}
$values = [
    'postings.offload' => ['always', 'never', 'auto', 'Always', 'sometimes', '', '1'],
    'postings.device' => ['none', '0:0', 'Portable', '', ' ', "a\0b", "\xFF", 'auto'],
    'postings.log_level' => ['off', 'error', 'warn', 'info', 'debug', 'trace', 'loud', '', 'warn'],
    'postings.threads' => ['1', '256', '0', '257', '-1', '1.5', '2 ', '', 'all', '99999999999999999999'],
    'postings.device_memory' => ['2G', '512m', '1024k', '1048576', '16777215T', '1048575', '1', '1023K', '-1', '1.5G', '2 G', 'G', '', '2GB', '17179869183G', '17179869184G', '0'],
    'postings.device_timeout' => ['0', '1', '86400', '86401', '-1', '0.5', '1s', '', '10'],
    'postings.yioop' => ['1'],
    'postings.opencl' => ['0', '1'],
];
// Unquoted in php.ini, none and off are keywords that arrive as empty strings: they mean the same here.
foreach ($values as $name => $list) {
    foreach ($list as $value) {
        $before = ini_get($name);
        $result = ini_set($name, $value);
        echo $name, ' ', json_encode($value, JSON_INVALID_UTF8_SUBSTITUTE), ': ',
            $result === false ? 'refused' : 'accepted', "\n";
        assert($result === false ? ini_get($name) === $before : ini_get($name) === $value);
    }
}
ini_set('postings.offload', 'never');
ini_restore('postings.offload');
echo ini_get('postings.offload'), "\n";

[$status, $output] = child('echo ini_get("postings.offload"), "|", ini_get("postings.device");', ['postings.offload' => 'never', 'postings.device' => 'none']);
echo "$status $output\n";
[$status, $output] = child('echo "|", ini_get("postings.offload"), ini_get("postings.log_level");', ['postings.offload' => 'perhaps', 'postings.log_level' => '7']);
echo "$status $output\n";
?>
--EXPECTF--
postings.device = auto (7)
postings.device_memory = 0 (7)
postings.device_timeout = 10 (7)
postings.log_level = warn (7)
postings.offload = auto (7)
postings.opencl = 1 (4)
postings.threads = 0 (7)
postings.yioop = 0 (4)
postings.offload "always": accepted
postings.offload "never": accepted
postings.offload "auto": accepted
postings.offload "Always": refused
postings.offload "sometimes": refused
postings.offload "": refused
postings.offload "1": refused
postings.device "none": accepted
postings.device "0:0": accepted
postings.device "Portable": accepted
postings.device "": accepted
postings.device " ": refused
postings.device "a\u0000b": refused
postings.device "\ufffd": refused
postings.device "auto": accepted
postings.log_level "off": accepted
postings.log_level "error": accepted
postings.log_level "warn": accepted
postings.log_level "info": accepted
postings.log_level "debug": accepted
postings.log_level "trace": accepted
postings.log_level "loud": refused
postings.log_level "": accepted
postings.log_level "warn": accepted
postings.threads "1": accepted
postings.threads "256": accepted
postings.threads "0": accepted
postings.threads "257": refused
postings.threads "-1": refused
postings.threads "1.5": refused
postings.threads "2 ": refused
postings.threads "": refused
postings.threads "all": refused
postings.threads "99999999999999999999": refused
postings.device_memory "2G": accepted
postings.device_memory "512m": accepted
postings.device_memory "1024k": accepted
postings.device_memory "1048576": accepted
postings.device_memory "16777215T": refused
postings.device_memory "1048575": refused
postings.device_memory "1": refused
postings.device_memory "1023K": refused
postings.device_memory "-1": refused
postings.device_memory "1.5G": refused
postings.device_memory "2 G": refused
postings.device_memory "G": refused
postings.device_memory "": refused
postings.device_memory "2GB": refused
postings.device_memory "17179869183G": accepted
postings.device_memory "17179869184G": refused
postings.device_memory "0": accepted
postings.device_timeout "0": accepted
postings.device_timeout "1": accepted
postings.device_timeout "86400": accepted
postings.device_timeout "86401": refused
postings.device_timeout "-1": refused
postings.device_timeout "0.5": refused
postings.device_timeout "1s": refused
postings.device_timeout "": refused
postings.device_timeout "10": accepted
postings.yioop "1": refused
postings.opencl "0": refused
postings.opencl "1": refused
auto
0 never|
0%w
Warning: postings.offload cannot be "perhaps"; the default is used in %s

Warning: postings.log_level cannot be "7"; the default is used in %s
|autowarn
