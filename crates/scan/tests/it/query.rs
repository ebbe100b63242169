//! Tables asked by SQL.

#![cfg(feature = "query")]

use std::fs;
use std::path::Path;

use unskew_objects::{ObjectPlace, Objects};
use unskew_scan::{ScanSettings, ScanShard, query};
use unskew_test_servers::S3Server;

use crate::table;

/// The examples, scanned in three shards, so that the table has several parts.
fn scanned(out: &Path) {
    for index in 1..=3 {
        let shard = ScanShard::new(index, 3).unwrap();
        table::run(
            &table::examples(),
            out,
            &ScanSettings { shard, part: 2, ..ScanSettings::default() },
        );
    }
}

fn json(sql: &str, tables: &[&str]) -> Vec<serde_json::Value> {
    let tables: Vec<String> = tables.iter().map(|one| (*one).to_owned()).collect();
    let text = query(sql, &tables).unwrap().json().unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn all_parts_are_one_table() {
    let out = tempfile::tempdir().unwrap();
    scanned(out.path());
    let lines = table::lines(out.path());
    let place = out.path().to_str().unwrap();
    let counted = json("select count(*) as n from scan", &[place]);
    assert_eq!(counted[0]["n"], lines.len());
    let sql = "select runtime, verdict, count(*) as n from scan where runtime is not null \
               group by 1, 2 order by 1, 2";
    let mut expected: Vec<(String, String, usize)> = Vec::new();
    for line in lines.iter().filter(|line| line.runtime.is_some()) {
        let (runtime, verdict) = (line.runtime.clone().unwrap(), line.verdict.clone());
        match expected.iter_mut().find(|(r, v, _)| *r == runtime && *v == verdict) {
            Some((_, _, n)) => *n += 1,
            None => expected.push((runtime, verdict, 1)),
        }
    }
    expected.sort();
    let found: Vec<(String, String, usize)> = json(sql, &[place])
        .iter()
        .map(|row| {
            let text = |name: &str| row[name].as_str().unwrap().to_owned();
            (text("runtime"), text("verdict"), row["n"].as_u64().unwrap() as usize)
        })
        .collect();
    assert_eq!(found, expected);
    // Lists are asked by their members, and structs in lists by their fields.
    let by_rule = json(
        "select rule['rule'] as rule, count(*) as n from (select unnest(findings) as rule from scan) \
         group by 1 order by n desc",
        &[place],
    );
    let code = by_rule[0]["rule"].as_str().unwrap();
    let having = format!("select count(*) as n from scan where array_has(rules, '{code}')");
    assert!(json(&having, &[place])[0]["n"].as_u64().unwrap() > 0, "{code}");
}

#[test]
fn a_query_changes_nothing_and_reads_nothing_else() {
    let out = tempfile::tempdir().unwrap();
    scanned(out.path());
    let place = vec![out.path().to_str().unwrap().to_owned()];
    let elsewhere = out.path().join("elsewhere");
    for sql in [
        format!("copy (select 1) to '{}'", elsewhere.display()),
        format!("create external table x stored as csv location '{}'", place[0]),
        "set datafusion.execution.batch_size = 1".to_owned(),
        "drop table scan".to_owned(),
        "insert into scan select * from scan".to_owned(),
        format!("select * from '{}'", out.path().join("scan.json").display()),
        "select nothing from scan".to_owned(),
        "no sql at all".to_owned(),
    ] {
        let error = query(&sql, &place).unwrap_err();
        assert!(error.to_string().starts_with("cannot answer: "), "{error}");
    }
    assert!(!elsewhere.exists());
    assert!(query("select 1", &["/nothing/here".to_owned()]).is_err());
    let empty = tempfile::tempdir().unwrap();
    let error = query("select 1", &[empty.path().to_str().unwrap().to_owned()]).unwrap_err();
    assert!(error.to_string().contains("no Parquet file here"), "{error}");
}

#[test]
fn an_answer_is_a_table_or_lines_of_json() {
    let out = tempfile::tempdir().unwrap();
    scanned(out.path());
    let sql =
        "select verdict from scan where uri like '%gelu-2.15.0.pt' and runtime like 'torch@2.15%'";
    let answer = query(sql, &[out.path().to_str().unwrap().to_owned()]).unwrap();
    assert_eq!(answer.rows(), 1);
    assert_eq!(
        answer.table().unwrap(),
        "+------------+\n| verdict    |\n+------------+\n| compatible |\n+------------+\n"
    );
    assert_eq!(answer.json().unwrap(), "{\"verdict\":\"compatible\"}\n");
}

#[test]
fn parts_in_a_store_are_asked_as_those_of_a_folder() {
    if !S3Server::there() {
        return;
    }
    let out = tempfile::tempdir().unwrap();
    scanned(out.path());
    let server = S3Server::start().unwrap();
    server.make_bucket("tables").unwrap();
    let settings = server.settings();
    let settings = settings
        .iter()
        .fold(unskew_objects::Settings::none(), |all, (name, value)| all.with(name, value));
    let there = Objects::at(&ObjectPlace::parse("s3://tables/one").unwrap(), &settings).unwrap();
    for entry in out.path().read_dir().unwrap() {
        let path = entry.unwrap().path();
        there.put(path.file_name().unwrap().to_str().unwrap(), fs::read(&path).unwrap()).unwrap();
    }
    let answer = unskew_scan::query_of("select count(*) as n from scan", &[there]).unwrap();
    let lines = table::lines(out.path()).len();
    assert_eq!(answer.json().unwrap(), format!("{{\"n\":{lines}}}\n"));
}
