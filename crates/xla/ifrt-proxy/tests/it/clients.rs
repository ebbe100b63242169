//! Real JAX releases on real plug-ins, through the server: in a process of its own, as the example starts
//! it, with four devices.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use unskew_jax_matrix::{CorpusPlugin, JaxHost, PLUGINS, PROXY_STEPS, ProxyServer, directly};
use unskew_peers::{ProcessEnd, run_probe, there};

const LIMIT: Duration = Duration::from_secs(400);

/// How many steps `lab/xla/probes/proxy_requests.py` has.
const REQUESTS: usize = 20;

/// How many steps `lab/xla/probes/proxy_equal.py` has.
const EQUAL: usize = 17;

fn server(plugin: &CorpusPlugin) -> ProxyServer {
    ProxyServer::start(Command::new(example()).arg(plugin.path())).unwrap()
}

/// The example, which Cargo builds beside the tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let example = test.ancestors().nth(2).unwrap().join("examples/serve");
    assert!(example.exists(), "`cargo build --examples -p unskew-ifrt-proxy` makes {example:?}");
    example
}

/// Whether these releases of JAX are run.
fn run(versions: &[&str]) -> bool {
    versions.iter().all(|version| there(&format!("jax-{version}")))
}

/// Three clients, of three dialects of the protocol and of two places where the client module is.
#[test]
fn clients_of_three_ages_pass_every_step_on_the_oldest_and_the_newest_plug_in() {
    if !run(&["0.5.3", "0.6.2", "0.10.2"]) {
        return;
    }
    for plugin in [&PLUGINS[0], &PLUGINS[2]] {
        let server = server(plugin);
        for version in ["0.5.3", "0.6.2", "0.10.2"] {
            let host = JaxHost::named(version).unwrap();
            let outcome = server.client(&host, "proxy_steps.py", LIMIT).unwrap();
            println!("jax {version} on {}: {} passed", plugin.name, outcome.passed());
            assert_eq!(outcome.failure(), None, "jax {version} on {}", plugin.name);
            assert_eq!((outcome.passed(), outcome.end), (PROXY_STEPS, ProcessEnd::Finished));
        }
    }
}

#[test]
fn a_connection_is_opened_and_closed_before_and_after_jax_was_used() {
    if !run(&["0.5.3", "0.10.2"]) {
        return;
    }
    let server = server(&PLUGINS[1]);
    for version in ["0.5.3", "0.10.2"] {
        let host = JaxHost::named(version).unwrap();
        let outcome = server.client(&host, "proxy_connect.py", LIMIT).unwrap();
        assert_eq!(outcome.failure(), None, "jax {version}");
        assert_eq!((outcome.passed(), outcome.end), (7, ProcessEnd::Finished));
    }
}

/// By `unskew_jax`, and since Python 3.12, which the environments of the newest releases have; on an older Python the
/// arrays are read as without it.
#[test]
fn arrays_on_the_server_have_the_buffer_protocol_that_local_ones_have() {
    if !run(&["0.10.2"]) {
        return;
    }
    let (server, first) = (server(&PLUGINS[2]), JaxHost::named("0.10.2").unwrap());
    for host in JaxHost::all().into_iter().filter(|host| host.version >= first.version) {
        let outcome = server.client(&host, "proxy_buffer.py", LIMIT).unwrap();
        assert_eq!(outcome.failure(), None, "jax {}", host.version);
        let steps = if outcome.steps[0].detail == "with" { 6 } else { 1 };
        println!("jax {}: {steps} steps", host.version);
        assert_eq!(
            (outcome.passed(), outcome.end),
            (steps, ProcessEnd::Finished),
            "jax {}",
            host.version
        );
    }
}

#[test]
fn a_network_learns_bit_by_bit_as_on_the_plug_in_itself() {
    if !run(&["0.10.2"]) {
        return;
    }
    let (plugin, host) = (&PLUGINS[2], JaxHost::named("0.10.2").unwrap());
    let served = server(plugin).client(&host, "proxy_training.py", LIMIT).unwrap();
    let direct = directly(&host, &plugin.path(), "proxy_training.py", LIMIT).unwrap();
    assert_eq!((served.failure(), direct.failure()), (None, None));
    println!("{}", served.steps[0].detail);
    assert!(served.steps[0].detail.contains("of 200 losses"));
    assert_eq!(served.steps[0].detail, direct.steps[0].detail);
}

/// What else programs ask for, of clients of two dialects: among it layouts, exported programs, collectives,
/// large arrays by way of a shared folder, and what is refused.
#[test]
fn what_programs_ask_beyond_the_steps_is_served_or_refused_by_name() {
    if !run(&["0.5.3", "0.10.2"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let shared = "IFRT_PROXY_GRPC_LARGE_TRANSFER_OPTIMIZATION_DIRECTORY";
    let threshold = "IFRT_PROXY_GRPC_LARGE_TRANSFER_OPTIMIZATION_THRESHOLD_BYTES";
    for (plugin, version) in [(&PLUGINS[0], "0.5.3"), (&PLUGINS[2], "0.10.2")] {
        let mut server = Command::new(example());
        let server =
            ProxyServer::start(server.arg(plugin.path()).env(shared, folder.path())).unwrap();
        let mut client = server.command(&JaxHost::named(version).unwrap(), "proxy_requests.py");
        client.env(shared, folder.path()).env(threshold, "1000000");
        let outcome = run_probe(&mut client, LIMIT).unwrap();
        println!("jax {version} on {}: {} passed", plugin.name, outcome.passed());
        assert_eq!(outcome.failure(), None, "jax {version} on {}", plugin.name);
        assert_eq!((outcome.passed(), outcome.end), (REQUESTS, ProcessEnd::Finished));
    }
}

/// Program texts, analyses, host data in other layouts and of small types, exported programs, ahead-of-time
/// compilation, assigned devices, deleted arrays, moves between shardings, donation: what the plug-in
/// itself yields. JAX 0.6.2 does not load these plug-ins itself; its steps check what is known.
#[test]
fn what_programs_find_is_what_they_find_on_the_plug_in_itself() {
    if !run(&["0.6.2", "0.10.2"]) {
        return;
    }
    let (plugin, newest) = (&PLUGINS[2], JaxHost::named("0.10.2").unwrap());
    let served = server(plugin).client(&newest, "proxy_equal.py", LIMIT).unwrap();
    let direct = directly(&newest, &plugin.path(), "proxy_equal.py", LIMIT).unwrap();
    assert_eq!((served.failure(), direct.failure()), (None, None), "{}", plugin.name);
    assert_eq!((served.passed(), direct.passed()), (EQUAL, EQUAL));
    for (served, direct) in served.steps.iter().zip(&direct.steps) {
        assert_eq!((&served.step, &served.detail), (&direct.step, &direct.detail));
    }
    let (plugin, older) = (&PLUGINS[0], JaxHost::named("0.6.2").unwrap());
    let served = server(plugin).client(&older, "proxy_equal.py", LIMIT).unwrap();
    assert_eq!((served.failure(), served.passed()), (None, EQUAL), "{}", plugin.name);
}

/// What `unskew serve --client jax@VERSION` prints, run as it stands, in every JAX that the corpus has: four
/// in CI, with both variables and all places of the client module, and whatever more a developer made.
#[test]
fn recipes_run_as_they_are_printed() {
    if !run(&["0.5.3", "0.6.2", "0.7.2", "0.10.2"]) {
        return;
    }
    let server = server(&PLUGINS[2]);
    let port = server.address().rsplit(':').next().unwrap().parse().unwrap();
    let mut releases = 0;
    for host in JaxHost::all() {
        let Ok(recipe) = unskew_ifrt_proxy::recipe(&format!("jax@{}", host.version), port) else {
            continue;
        };
        let exports = recipe.lines().filter_map(|line| line.strip_prefix("export "));
        let variables =
            exports.flat_map(|line| line.split(' ')).map(|it| it.split_once('=').unwrap());
        let python: Vec<&str> =
            recipe.lines().filter(|line| !line.starts_with("export ")).collect();
        let program = "import json\n\
            assert jax.devices()[0].platform and float(jax.jit(lambda a: a + 1)(1.0)) == 2.0\n\
            print(json.dumps({'step': 'recipe', 'ok': True, 'detail': '', 'seconds': 0}), flush=True)";
        let mut client = host.peer.command();
        client.args(["-c", &format!("{}\n{program}", python.join("\n"))]);
        let outcome = run_probe(client.envs(variables), LIMIT).unwrap();
        println!("jax {}: {:?}", host.version, outcome.end);
        // How a client ends is not the subject.
        assert_eq!(outcome.passed(), 1, "jax {}: {:?}", host.version, outcome.failure());
        releases += 1;
    }
    assert!(releases >= 4, "{releases} releases");
}
