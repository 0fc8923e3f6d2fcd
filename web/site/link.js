// A session as text in a link: JSON, deflated, in the letters of addresses.

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const MOST = 4e6; // of the unpacked text, so that a link cannot fill the memory

export async function write(link) {
  const packed = await through(new TextEncoder().encode(JSON.stringify({ version: 1, ...link })), new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

export async function read(letters) {
  const packed = Uint8Array.from(atob(letters.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
  const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let part; !(part = await reader.read()).done; ) {
    text += decoder.decode(part.value, { stream: true });
    if (text.length > MOST) throw new Error("it is too long");
  }
  const link = JSON.parse(text);
  if (link.version !== 1) throw new Error("it is of another version of Lavoxel");
  if (!/^[a-z0-9_]+$/.test(link.scene ?? "none") || (!link.scene && typeof link.text !== "string")) throw new Error("it names no scene");
  return link;
}
