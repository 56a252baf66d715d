//! A segment that somebody truncates while it is open: an error before it is read, as reading it would end the process.

use super::*;

/// An index of two segments, whose ids need an index.
fn index(folder: &Path, options: WriterOptions) -> Writer {
    let mut writer = Writer::open(folder, Some(schema()), options).unwrap();
    for numbers in [0..300u64, 300..500] {
        numbers.for_each(|number| writer.add(id(number), document(b"some text")).unwrap());
        writer.commit().unwrap();
    }
    assert_eq!(writer.segments.len(), 2);
    writer
}

#[test]
fn the_writer_notices_it_and_loses_nothing() {
    type Change = fn(&mut Writer) -> Result<()>;
    let changes: [(&str, Change); 4] = [
        ("delete", |writer| writer.delete(&id(6)).map(drop)),
        ("add and commit", |writer| writer.commit().map(drop)),
        ("add and flush", Writer::flush),
        ("optimize", |writer| writer.optimize(false).map(drop)),
    ];
    for threads in [1, 2] {
        for (what, change) in changes {
            for (truncated, to) in [("1.segment", 0), ("2.segment", 100)] {
                let folder = tempfile::tempdir().unwrap();
                let mut writer = index(folder.path(), WriterOptions { threads, ..WriterOptions::default() });
                writer.add(id(6), document(b"another")).unwrap();
                writer.add(id(501), document(b"one more")).unwrap();
                let path = folder.path().join(truncated);
                let whole = fs::read(&path).unwrap();
                fs::File::options().write(true).open(&path).unwrap().set_len(to).unwrap();
                let error = change(&mut writer).unwrap_err();
                assert!(error.to_string().contains(&format!("{truncated}: {to} bytes; there were")), "{what}: {error}");
                assert!(writer.lost.is_none(), "{what}");
                // The changes stay.
                fs::write(&path, &whole).unwrap();
                writer.commit().unwrap();
                drop(writer);
                let documents = committed(folder.path());
                assert_eq!(documents.len(), 501, "{what}");
                assert!(documents.contains(&(id(6), b"another".to_vec())), "{what}");
            }
        }
    }
}
