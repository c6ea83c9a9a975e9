/**
 * Who activates a generation once it is built: the platform, a person, or the platform if an evaluation finds that it is not worse.
 * `companion`: it is never activated; its vectors rerank what the active generation finds.
 */
export const CUTOVERS = ['automatic', 'manual', 'gate', 'companion'] as const;
export type Cutover = (typeof CUTOVERS)[number];

/** Which past queries an evaluation asks, by when they were recorded: positions or times, as `asOf` reads them. Both ends are exclusive. */
export type QueryWindow = Readonly<{ after?: string; before?: string }>;
