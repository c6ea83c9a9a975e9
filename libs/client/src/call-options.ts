/** Options of every call. */
export type CallOptions = Readonly<{ signal?: AbortSignal | undefined }>;

/** `asOf`: as it was at a moment in the past: a position, or a time with its offset from UTC (RFC 3339). */
export type InTime = CallOptions & Readonly<{ asOf?: string | undefined }>;
