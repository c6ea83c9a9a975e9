/** What any call may be given. */
export type CallOptions = Readonly<{ signal?: AbortSignal | undefined }>;
