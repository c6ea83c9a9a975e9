/** Bytes of several files together, on disk and in total. */
export type DownloadProgress = Readonly<{
  plan: (bytes: number) => void;
  /** Reports the bytes of the current file. */
  onBytes: (bytes: number) => void;
  fileDone: (bytes: number) => void;
}>;

export const downloadProgress = (report: (done: number, total: number) => void = () => undefined): DownloadProgress => {
  let [before, total] = [0, 0];
  return {
    plan: (bytes) => (total = Math.max(total, before + bytes)),
    onBytes: (bytes) => report(before + bytes, Math.max(total, before + bytes)),
    fileDone: (bytes) => (before += bytes),
  };
};
