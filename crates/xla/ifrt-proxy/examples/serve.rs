//! Serves a plug-in on the loopback: `serve PLUGIN [PORT] [NAME=NUMBER ...]`, where the names are those of
//! the plug-in's own options. The last line it prints before it serves is its address.

use std::io::Write as _;
use std::net::TcpListener;

use unskew_ifrt_proxy::{Server, ServerLimits};
use unskew_pjrt::{Attribute, PjrtValue, Plugin};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let plugin = args.next().ok_or("serve PLUGIN [PORT] [NAME=NUMBER ...]")?;
    let port = args.next().map_or(Ok(0), |port| port.parse::<u16>())?;
    let mut options = Vec::new();
    for option in args {
        let (name, number) = option.split_once('=').ok_or("NAME=NUMBER")?;
        options
            .push(Attribute { name: name.to_owned(), value: PjrtValue::Number(number.parse()?) });
    }
    let server =
        Server::new(Plugin::load(plugin)?.create_client(&options)?, ServerLimits::default())?;
    let listener = TcpListener::bind(("127.0.0.1", port))?;
    println!("grpc://{}", listener.local_addr()?);
    std::io::stdout().flush()?;
    server.serve(listener, std::future::pending())?;
    Ok(())
}
