// Files that the page hands to the person: pictures, films, sessions.

export function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replaceAll(/[^\w.-]+/g, "_");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A film of what the canvas shows, as it is shown.
export class Film {
  constructor(canvas) {
    this.canvas = canvas;
    const kinds = ["video/mp4;codecs=avc1.42E01E", "video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];
    this.kind = globalThis.MediaRecorder && canvas.captureStream && kinds.find((kind) => MediaRecorder.isTypeSupported(kind));
    this.can = Boolean(this.kind);
  }

  // Begins a film, or ends it and saves it under the name; returns true if one runs now.
  toggle(name) {
    if (this.recorder) {
      this.recorder.stop();
      this.recorder = null;
      return false;
    }
    const parts = [];
    const recorder = new MediaRecorder(this.canvas.captureStream(30), { mimeType: this.kind, videoBitsPerSecond: 8e6 });
    recorder.ondataavailable = ({ data }) => data.size && parts.push(data);
    recorder.onstop = () => save(new Blob(parts, { type: this.kind }), `${name}.${this.kind.includes("mp4") ? "mp4" : "webm"}`);
    recorder.start(1000);
    this.recorder = recorder;
    return true;
  }
}
