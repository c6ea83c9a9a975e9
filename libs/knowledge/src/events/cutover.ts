/** Who activates a generation once it is built: the platform, a person, or the platform if an evaluation finds that it is not worse. */
export type Cutover = 'automatic' | 'manual' | 'gate';

/** Which past queries an evaluation asks, by when they were recorded: positions or times, as `asOf` reads them. Both ends are exclusive. */
export type QueryWindow = Readonly<{ after?: string; before?: string }>;
