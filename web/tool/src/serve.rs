//! A file server for the page on this machine.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Result, anyhow};
use tiny_http::{Header, Response, Server};

/// Serves the folder `out` at the port `port` of this machine until the program is ended.
pub(crate) fn serve(out: &Path, port: u16) -> Result<()> {
    let server = Server::http(("127.0.0.1", port))
        .map_err(|error| anyhow!("cannot serve at port {port}: {error}"))?;
    println!("http://localhost:{port}/ (Ctrl-C ends it)");
    for request in server.incoming_requests() {
        let answer = found(out, request.url()).and_then(|path| {
            let bytes = fs::read(&path).ok()?;
            let kind = Header::from_bytes("Content-Type", kind(&path)).ok()?;
            let fresh = Header::from_bytes("Cache-Control", "no-cache").ok()?;
            Some(
                Response::from_data(bytes)
                    .with_header(kind)
                    .with_header(fresh),
            )
        });
        // A browser that has gone needs no answer.
        match answer {
            Some(answer) => request.respond(answer).ok(),
            None => request
                .respond(Response::from_string("no such file").with_status_code(404))
                .ok(),
        };
    }
    Ok(())
}

/// Returns the file of the folder `out` that `url` names; `None` if it leaves the folder.
fn found(out: &Path, url: &str) -> Option<PathBuf> {
    let name = url.split(['?', '#']).next()?.trim_start_matches('/');
    let name = if name.is_empty() { "index.html" } else { name };
    let is_inside = Path::new(name)
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    is_inside.then(|| out.join(name))
}

/// Returns the media type of a file.
fn kind(path: &Path) -> &'static str {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript",
        Some("css") => "text/css",
        Some("wasm") => "application/wasm",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("webp") => "image/webp",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}
