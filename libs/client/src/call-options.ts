/** Options of every call. */
export type CallOptions = Readonly<{ signal?: AbortSignal | undefined }>;
