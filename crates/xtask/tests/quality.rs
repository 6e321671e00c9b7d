//! The page on routing quality says what the figures and the router say, and the figures are measured rightly.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::cmp::Ordering;
use std::fs;
use std::path::Path;

use lwa_xtask::quality::{
    Axis, DATA, Folders, Interval, Measured, MeasuredSet, Method, PAGE, PICTURE, Row, Set, check, documents, load,
    measure, read_sources, write,
};
use lwa_xtask::root::project_root;

fn set<'a>(measured: &'a Measured, name: &str) -> &'a MeasuredSet {
    measured.sets.iter().find(|set| set.name == name).unwrap()
}

fn calls(set: &MeasuredSet, method: Method) -> Interval {
    set.curve(method).unwrap().area
}

fn bill(set: &MeasuredSet, method: Method) -> Interval {
    set.curve(method).unwrap().bill_area.unwrap()
}

#[test]
fn the_page_and_its_picture_are_up_to_date() {
    check(&project_root()).unwrap();
}

#[test]
fn drift_is_noticed_and_writing_mends_it() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join(DATA);
    fs::create_dir_all(data.parent().unwrap()).unwrap();
    fs::copy(project_root().join(DATA), &data).unwrap();
    assert!(check(folder.path()).is_err(), "a missing page is drift");
    write(folder.path(), None).unwrap();
    check(folder.path()).unwrap();
    for name in [PAGE, PICTURE] {
        let path = folder.path().join(name);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replacen("mmlu", "nulm", 1)).unwrap();
        let error = check(folder.path()).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("cargo xtask quality"), "{error}");
        fs::write(&path, text).unwrap();
    }
}

/// The sums agree with what the publishers and others report of these files.
#[test]
fn the_sums_are_those_of_the_published_results() {
    let measured = load(&project_root()).unwrap();
    for (name, rows, subjects, qualities, needed) in [
        ("mmlu", 14_042, 57, [0.681, 0.806, 0.859], 0.178),
        ("gsm8k", 1_319, 1, [0.638, 0.857, 0.929], 0.290),
        ("routerarena", 809, 78, [0.523, 0.690, 0.741], 0.252),
    ] {
        let set = set(&measured, name);
        assert_eq!((set.rows(), set.subjects.len()), (rows, subjects), "{name}");
        for (found, expected) in set.qualities().into_iter().zip(qualities) {
            assert!((found - expected).abs() < 0.0006, "{name}: {found} for {expected}");
        }
        assert!((set.strong_needed() - needed).abs() < 0.0006, "{name}");
    }
    assert_eq!(measured.sets.len(), 3);
}

/// Every figure lies where it must, whatever was measured.
#[test]
fn the_figures_agree_with_each_other() {
    for set in load(&project_root()).unwrap().sets {
        let [cheap, strong, best] = set.qualities();
        let oracle = calls(&set, Method::Oracle);
        for curve in &set.methods {
            let name = format!("{} {:?}", set.name, curve.method);
            assert_eq!(curve.quality.len(), 21, "{name}");
            assert!((curve.quality[0] - cheap).abs() < 0.0002 && (curve.quality[20] - strong).abs() < 0.0002, "{name}");
            assert!(curve.quality.iter().all(|quality| *quality < best + 0.0002), "{name}");
            for area in [Some(curve.area), curve.bill_area].into_iter().flatten() {
                assert!(area.low <= area.value && area.value <= area.high, "{name}");
            }
            assert!(curve.area.value <= oracle.value, "{name}");
            let [half, most, nearly] = curve.needed;
            assert!(half <= most && most <= nearly, "{name}");
        }
        let mirrored = calls(&set, Method::Longest).value + calls(&set, Method::Shortest).value;
        assert!((mirrored - 1.0).abs() < 0.0002, "{}: an order and its reverse", set.name);
    }
}

/// Each sentence of the page's reading, as a condition on the figures.
#[test]
fn the_reading_says_what_the_figures_say() {
    let measured = load(&project_root()).unwrap();
    let (mmlu, gsm8k, arena) = (set(&measured, "mmlu"), set(&measured, "gsm8k"), set(&measured, "routerarena"));
    let against_length =
        |set: &MeasuredSet| set.difference(Method::Lexical, Method::Longest, Axis::Calls).unwrap().beside(0.0);

    assert_eq!(calls(mmlu, Method::Lexical).beside(0.5), Ordering::Greater);
    assert_eq!(against_length(mmlu), Ordering::Equal);
    assert!(bill(mmlu, Method::Lexical).value < 0.5 && bill(mmlu, Method::Lexical).beside(0.5).is_eq());
    assert_eq!(bill(mmlu, Method::Longest).beside(0.5), Ordering::Less);
    assert_eq!(bill(mmlu, Method::Shortest).beside(0.5), Ordering::Greater);
    let per_token = mmlu.difference(Method::LexicalPerToken, Method::Shortest, Axis::Bill).unwrap();
    assert_eq!(per_token.beside(0.0), Ordering::Equal);
    assert_eq!(calls(mmlu, Method::Words).beside(0.5), Ordering::Equal);
    let words = mmlu.difference(Method::Words, Method::Lexical, Axis::Calls).unwrap();
    assert_eq!(words.beside(0.0), Ordering::Less);

    for area in [calls, bill] {
        assert_eq!(area(gsm8k, Method::Lexical).beside(0.5), Ordering::Greater);
        assert_eq!(area(gsm8k, Method::LexicalElsewhere).beside(0.5), Ordering::Greater);
    }
    assert_eq!(against_length(gsm8k), Ordering::Equal);

    for method in [Method::Longest, Method::Shortest, Method::Lexical, Method::LexicalPerToken, Method::Words] {
        assert_eq!(calls(arena, method).beside(0.5), Ordering::Equal, "{method:?}");
    }
    assert!(arena.strong_bill < arena.cheap_bill, "the strong model is the cheaper one");
    assert_eq!(against_length(arena), Ordering::Equal);

    let subject = |set: &MeasuredSet| set.difference(Method::SubjectMajority, Method::Lexical, Axis::Calls).unwrap();
    assert_eq!(subject(mmlu).beside(0.0), Ordering::Greater);
    assert_eq!(subject(arena).beside(0.0), Ordering::Equal);
    assert_eq!(calls(arena, Method::SubjectMajority).beside(0.5), Ordering::Greater);

    for set in [mmlu, gsm8k, arena] {
        let strong = set.qualities()[1];
        let oracle = set.curve(Method::Oracle).unwrap();
        assert!(oracle.quality[5] > strong, "{}: a quarter of the calls", set.name);
    }
}

/// What the page says of the router holds for every set.
#[test]
fn no_prompt_of_a_set_is_routed_by_its_length_and_no_price_is_read_between_paid_routes() {
    let [(_, page), _] = documents(&load(&project_root()).unwrap()).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.contains(" and ") && line.contains(": 0.")).collect();
    assert_eq!(rows.iter().filter(|row| row.contains("paid,")).count(), 9, "{rows:#?}");
    assert!(!page.contains("by length |"));
    let both_paid: Vec<_> = rows.iter().filter(|row| row.contains("both paid")).collect();
    assert!(both_paid.len() == 3 && both_paid.iter().all(|row| row.matches("all strong").count() == 3));
    let refused: Vec<_> = rows.iter().filter(|row| row.contains("withheld")).collect();
    assert!(refused.len() == 3 && refused.iter().all(|row| row.matches("all cheap").count() == 3));
}

/// 12 subjects of 30 rows. `is_hard` says whether the strong model alone is right.
fn made_up(is_hard: impl Fn(u32) -> bool) -> Set {
    let rows = (0..360)
        .map(|n| {
            // The hard ones are told by their digits, not by their length.
            let prompt = if n % 3 == 0 { "what is 12345 of 67890" } else { "what is there of theirs" };
            let strong = if is_hard(n) { 1.0 } else { 0.0 };
            Row {
                subject: usize::try_from(n / 30).unwrap(),
                prompt: prompt.to_owned(),
                cheap: 0.0,
                strong,
                cheap_bill: 0.0,
                strong_bill: 1.0,
            }
        })
        .collect();
    Set {
        name: "made-up".to_owned(),
        cheap_model: "small".to_owned(),
        strong_model: "large".to_owned(),
        bill_unit: "calls".to_owned(),
        subjects: (0..12).map(|n| format!("subject {n}")).collect(),
        rows,
        fingerprint: String::new(),
    }
}

#[test]
fn a_difficulty_that_shows_in_the_text_is_found_in_subjects_that_were_left_out() {
    let measured = measure(&[made_up(|n| n % 3 == 0)]);
    let set = &measured.sets[0];
    let lexical = calls(set, Method::Lexical);
    assert_eq!(lexical.beside(0.5), Ordering::Greater);
    // A third is hard, and all of it comes first: 1 - 1/6.
    assert!((lexical.value - 0.8333).abs() < 0.0002, "{lexical:?}");
    assert_eq!(lexical, calls(set, Method::Oracle));
    assert_eq!(measure(&[made_up(|n| n % 3 == 0)]), measured, "the same rows give the same figures");
}

#[test]
fn a_difficulty_that_does_not_show_in_the_text_is_not_found() {
    // A scattered half, whatever the prompt is.
    let measured = measure(&[made_up(|n| n.wrapping_mul(2_654_435_761) >> 31 == 1)]);
    for method in [Method::Longest, Method::Lexical, Method::Words] {
        let area = calls(&measured.sets[0], method);
        assert_eq!(area.beside(0.5), Ordering::Equal, "{method:?} {area:?}");
    }
}

const HEADING: &str = "prompt,mistralai/Mixtral-8x7B-Instruct-v0.1,gpt-4-1106-preview";

fn checkouts(root: &Path) -> Folders {
    let put = |name: &str, text: &str| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let mmlu = "llm/routellm/evals/mmlu/responses";
    put(&format!("{mmlu}/mmlu_b.csv"), &format!("{HEADING}\n\"one,\ntwo\",False,True\nthree,True,True\n"));
    put(&format!("{mmlu}/mmlu_a.csv"), &format!("{HEADING}\nfour,True,False\n"));
    put(
        "llm/routellm/evals/gsm8k/gsm8k_responses.csv",
        &format!("{HEADING},{}_response\nfive,False,True,abc\n", "gpt-4-1106-preview"),
    );
    let graded = |score: &str, cost: &str| {
        let result = format!(r#"{{"score":{score},"inference_cost":{cost}}}"#);
        format!(r#"{{"global_index":"Some_Set_7","question":"six","evaluation_result":{result}}}"#)
    };
    put("arena/cached_results/claude-3-haiku-20240307.jsonl", &graded("0.25", "0.002"));
    put("arena/cached_results/gemini-2.0-flash-001.jsonl", &graded("1.0", "0.001"));
    Folders { routellm: root.join("llm"), routerarena: root.join("arena") }
}

#[test]
fn both_repositories_are_read_as_they_are_laid_out() {
    let folder = tempfile::tempdir().unwrap();
    let sets = read_sources(&checkouts(folder.path())).unwrap();
    let names: Vec<_> = sets.iter().map(|set| (set.name.as_str(), set.subjects.join(" "))).collect();
    let subjects = ["a b", "grade_school_math", "Some_Set"].map(str::to_owned);
    assert_eq!(names, ["mmlu", "gsm8k", "routerarena"].into_iter().zip(subjects).collect::<Vec<_>>());
    let mmlu: Vec<_> =
        sets[0].rows.iter().map(|row| (row.subject, row.prompt.as_str(), row.cheap, row.strong)).collect();
    assert_eq!(mmlu, [(0, "four", 1.0, 0.0), (1, "one,\ntwo", 0.0, 1.0), (1, "three", 1.0, 1.0)]);
    // Two tokens of prompt, and one of answer that counts three times.
    assert!((sets[1].rows[0].strong_bill - 5.0).abs() < 1e-12);
    let row = &sets[2].rows[0];
    assert_eq!((row.cheap, row.strong, row.cheap_bill, row.strong_bill), (0.25, 1.0, 0.002, 0.001));
}

#[test]
fn a_result_that_is_neither_right_nor_wrong_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folders = checkouts(folder.path());
    let path = folders.routellm.join("routellm/evals/mmlu/responses/mmlu_a.csv");
    fs::write(path, format!("{HEADING}\nfour,Maybe,False\n")).unwrap();
    assert!(read_sources(&folders).is_err());
    let folders = checkouts(folder.path());
    fs::remove_file(folders.routerarena.join("cached_results/gemini-2.0-flash-001.jsonl")).unwrap();
    assert!(read_sources(&folders).is_err());
}
