//! Units say what they do, where their program is, and stay out of everything else.

#![allow(clippy::unwrap_used, reason = "a panic in a test is its report")]

use std::path::PathBuf;

use lwa_registration::units::{ALL_UNITS, MARK, TIMERS, UnitFacts, units};

fn facts() -> UnitFacts {
    UnitFacts {
        program: PathBuf::from("/home/u/.local/bin/lwa"),
        state_dir: PathBuf::from("/home/u/.local/state/lwa"),
        socket: PathBuf::from("/run/user/1000/lwa/host.sock"),
        lwa_home: None,
        probes: true,
    }
}

/// The lines of a section of a unit.
fn lines(facts: &UnitFacts, name: &str) -> Vec<String> {
    let units = units(facts).unwrap();
    let unit = units.iter().find(|unit| unit.name == name).unwrap();
    assert!(unit.text.starts_with(MARK) && unit.text.ends_with('\n'));
    unit.text.lines().map(str::to_owned).collect()
}

fn has(lines: &[String], line: &str) -> bool {
    lines.iter().any(|one| one == line)
}

#[test]
fn commands_run_once_in_a_sandbox_that_may_write_the_state_folder_alone() {
    for (name, verb) in
        [("lwa-telemetry.service", "telemetry --no-start"), ("lwa-probe.service", "probe --live --no-start")]
    {
        let lines = lines(&facts(), name);
        for line in [
            "Type=oneshot",
            "NoNewPrivileges=yes",
            "PrivateTmp=yes",
            "ProtectSystem=strict",
            "ProtectHome=read-only",
            "RestrictAddressFamilies=AF_UNIX",
            "ReadWritePaths=\"/home/u/.local/state/lwa\"",
            "After=lwa-host-start.service",
        ] {
            assert!(has(&lines, line), "{name}: {line}");
        }
        assert!(has(&lines, &format!("ExecStart=\"/home/u/.local/bin/lwa\" maintenance {verb}")), "{lines:?}");
    }
}

#[test]
fn the_host_is_started_outside_of_the_sandbox_and_outlives_the_command() {
    let lines = lines(&facts(), "lwa-host-start.service");
    assert!(has(&lines, "KillMode=process"));
    assert!(!lines.iter().any(|line| line.starts_with("Protect") || line.starts_with("Restrict")), "{lines:?}");
}

#[test]
fn telemetry_runs_daily_and_probes_every_half_an_hour_each_with_a_random_delay() {
    let telemetry = lines(&facts(), "lwa-telemetry.timer");
    assert!(["OnCalendar=daily", "RandomizedDelaySec=300", "Persistent=true"].iter().all(|line| has(&telemetry, line)));
    let probe = lines(&facts(), "lwa-probe.timer");
    assert!(["OnCalendar=*:0/30", "RandomizedDelaySec=120", "Persistent=true"].iter().all(|line| has(&probe, line)));
}

#[test]
fn without_leave_for_probes_there_is_no_unit_that_reaches_a_provider() {
    let units = units(&UnitFacts { probes: false, ..facts() }).unwrap();
    let names: Vec<&str> = units.iter().map(|unit| unit.name).collect();
    assert_eq!(names, ["lwa-host-start.service", "lwa-telemetry.service", "lwa-telemetry.timer"]);
    assert!(units.iter().all(|unit| !unit.text.contains("probe")));
}

#[test]
fn every_unit_that_is_written_is_one_that_is_removed() {
    for unit in units(&facts()).unwrap() {
        assert!(ALL_UNITS.contains(&unit.name), "{}", unit.name);
    }
    assert!(TIMERS.iter().all(|timer| ALL_UNITS.contains(timer)));
}

#[test]
fn odd_paths_are_escaped_and_impossible_ones_refused() {
    let odd = UnitFacts { program: PathBuf::from("/opt/my \"100%\" $x\\/lwa"), ..facts() };
    let lines = lines(&odd, "lwa-telemetry.service");
    assert!(has(&lines, r#"ExecStart="/opt/my \"100%%\" $x\\/lwa" maintenance telemetry --no-start"#), "{lines:?}");
    let impossible = UnitFacts { program: PathBuf::from("/opt/a\nExecStartPre=/bin/evil"), ..facts() };
    assert!(units(&impossible).is_err());
}

#[test]
fn a_folder_of_ones_own_is_named_and_stays_visible_when_it_is_temporary() {
    let home = PathBuf::from("/tmp/h");
    let facts = UnitFacts {
        state_dir: home.join("state"),
        socket: home.join("run/host.sock"),
        lwa_home: Some(home),
        ..facts()
    };
    for name in ["lwa-telemetry.service", "lwa-host-start.service"] {
        assert!(has(&lines(&facts, name), "Environment=\"LWA_HOME=/tmp/h\""));
    }
    assert!(!has(&lines(&facts, "lwa-telemetry.service"), "PrivateTmp=yes"));
}
