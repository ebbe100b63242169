//! The page of what the server is doing, without a script and without anything from elsewhere.

use std::fmt::{self, Display, Write as _};
use std::time::Duration;

use crate::account::MemoryKind;
use crate::ongoing::Ongoing;
use crate::server::Server;

const STYLE: &str = include_str!("page.css");

pub(super) fn page(server: &Server) -> String {
    let mut page = String::from(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>unskew serve</title>\n<style>\n",
    );
    page.push_str(STYLE);
    page.push_str("</style>\n</head>\n<body>\n<main>\n");
    // Writing to a text does not fail; so for the functions below.
    let _ = head(server, &mut page);
    let _ = sessions(&server.ongoing(), &mut page);
    let _ = devices(server, &mut page);
    let _ = requests(server, &mut page);
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn head(server: &Server, page: &mut String) -> fmt::Result {
    let (state, class) =
        if server.is_ready() { ("serving", "state") } else { ("stopping", "state stopping") };
    writeln!(page, "<h1>unskew serve <span class=\"{class}\">{state}</span></h1>")?;
    writeln!(
        page,
        "<p>For {}. <a href=\"/\">Look again</a>, <a href=\"/metrics\">Metrics</a></p>\n<dl>",
        Span(server.age())
    )?;
    let client = &server.platform().client;
    let limits = server.limits();
    let none = |error: unskew_pjrt::Error| format!("unknown: {error}");
    fact(page, "Server", &format!("unskew {}", env!("CARGO_PKG_VERSION")))?;
    fact(page, "Plug-in", &client.platform_name().unwrap_or_else(none))?;
    fact(page, "Its version", &client.platform_version().unwrap_or_else(none))?;
    fact(page, "PJRT C API", &client.plugin().version().to_string())?;
    if let Some(version) = &server.platform().stablehlo {
        fact(page, "StableHLO", &format!("up to {version}"))?;
    }
    let sessions = server.sessions().count();
    fact(page, "Sessions", &format!("{sessions} of at most {}", limits.sessions))?;
    let (device, host) = (server.bytes(MemoryKind::Device), server.bytes(MemoryKind::Host));
    let bytes = format!(
        "{} in arrays, {} on their way; at most {} together, {} in one session",
        Size(device),
        Size(host),
        Size(limits.server_bytes),
        Size(limits.session_bytes)
    );
    fact(page, "Bytes", &bytes)?;
    page.push_str("</dl>\n");
    Ok(())
}

fn fact(page: &mut String, name: &str, value: &str) -> fmt::Result {
    writeln!(page, "<dt>{name}</dt><dd>{}</dd>", Escaped(value))
}

/// Opens a table that scrolls by itself, also with the keyboard.
fn table(page: &mut String, name: &str, columns: &[&str]) -> fmt::Result {
    let id = name.to_lowercase();
    write!(
        page,
        "<h2 id=\"{id}\">{name}</h2>\n<div class=\"wide\" tabindex=\"0\" role=\"region\" \
         aria-labelledby=\"{id}\"><table>\n<thead><tr>"
    )?;
    columns.iter().try_for_each(|column| write!(page, "<th scope=\"col\">{column}</th>"))?;
    page.push_str("</tr></thead>\n<tbody>\n");
    Ok(())
}

const END: &str = "</tbody>\n</table></div>\n";

fn sessions(sessions: &[std::sync::Arc<Ongoing>], page: &mut String) -> fmt::Result {
    if sessions.is_empty() {
        page.push_str("<h2 id=\"sessions\">Sessions</h2>\n<p>Nobody is connected.</p>\n");
        return Ok(());
    }
    let columns = [
        "Session",
        "Client",
        "For",
        "Protocol",
        "SerDes",
        "Requests",
        "Failed",
        "Unanswered",
        "Handles",
        "In arrays",
        "On their way",
        "Now",
    ];
    table(page, "Sessions", &columns)?;
    for session in sessions {
        write!(page, "<tr><th scope=\"row\">{}</th>", session.number)?;
        write!(page, "<td>{}</td><td>{}</td>", session.client(), Span(session.since.elapsed()))?;
        number(page, session.agreed.protocol)?;
        number(page, session.agreed.serdes)?;
        number(page, session.requests())?;
        failures(page, session.failed())?;
        number(page, session.in_flight())?;
        number(page, session.handles())?;
        number(page, Size(session.account.at(MemoryKind::Device)))?;
        number(page, Size(session.account.at(MemoryKind::Host)))?;
        match session.doing() {
            None => page.push_str("<td>idle</td></tr>\n"),
            Some((name, time)) => writeln!(page, "<td>{name} for {}</td></tr>", Span(time))?,
        }
    }
    page.push_str(END);
    Ok(())
}

fn devices(server: &Server, page: &mut String) -> fmt::Result {
    table(page, "Devices", &["Device", "Kind", "Memories", "Name"])?;
    for entry in &server.platform().devices {
        let description = entry.device.description();
        let kind = description.as_ref().ok().and_then(|of| of.kind().ok()).unwrap_or_default();
        let name = description.as_ref().ok().and_then(|of| of.text().ok()).unwrap_or_default();
        let memories: Vec<&str> = entry.memories.iter().map(|(kind, _)| kind.as_str()).collect();
        writeln!(
            page,
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td></tr>",
            entry.id,
            Escaped(&kind),
            Escaped(&memories.join(", ")),
            Escaped(&name)
        )?;
    }
    page.push_str(END);
    Ok(())
}

fn requests(server: &Server, page: &mut String) -> fmt::Result {
    let kinds = server.metrics().by_kind();
    if kinds.is_empty() {
        page.push_str("<h2 id=\"requests\">Requests</h2>\n<p>Nobody asked for anything yet.</p>\n");
        return Ok(());
    }
    table(page, "Requests", &["Kind", "Answered", "Failed"])?;
    for (kind, all, failed) in kinds {
        write!(page, "<tr><th scope=\"row\">{kind}</th>")?;
        number(page, all)?;
        failures(page, failed)?;
        page.push_str("</tr>\n");
    }
    page.push_str(END);
    Ok(())
}

fn number(page: &mut String, value: impl Display) -> fmt::Result {
    write!(page, "<td class=\"number\">{value}</td>")
}

fn failures(page: &mut String, count: u64) -> fmt::Result {
    let class = if count > 0 { "number wrong" } else { "number" };
    write!(page, "<td class=\"{class}\">{count}</td>")
}

/// Bytes, as people read them.
struct Size(u64);

impl Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        let mut value = self.0 as f64;
        let mut unit = "B";
        for larger in units {
            if value < 1024.0 {
                break;
            }
            value /= 1024.0;
            unit = larger;
        }
        if unit == "B" { write!(f, "{} B", self.0) } else { write!(f, "{value:.1} {unit}") }
    }
}

/// A time, as people read it.
struct Span(Duration);

impl Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.0.as_secs();
        match seconds {
            0 => write!(f, "{} ms", self.0.as_millis()),
            1..60 => write!(f, "{seconds} s"),
            60..3600 => write!(f, "{} min {} s", seconds / 60, seconds % 60),
            _ => write!(f, "{} h {} min", seconds / 3600, seconds / 60 % 60),
        }
    }
}

/// A text from a plug-in, which is no tag.
struct Escaped<'a>(&'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for char in self.0.chars() {
            match char {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                other => f.write_char(other)?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_times_and_texts_read_well() {
        assert_eq!(Size(0).to_string(), "0 B");
        assert_eq!(Size(1536).to_string(), "1.5 KiB");
        assert_eq!(Size(64 << 30).to_string(), "64.0 GiB");
        assert_eq!(Span(Duration::from_millis(70)).to_string(), "70 ms");
        assert_eq!(Span(Duration::from_secs(3725)).to_string(), "1 h 2 min");
        assert_eq!(Escaped("<b title=\"&\">").to_string(), "&lt;b title=&quot;&amp;&quot;&gt;");
    }
}
