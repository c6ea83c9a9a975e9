/** Who activates a generation once it is built: the platform, a person, or the platform if an evaluation finds that it is not worse. */
export type Cutover = 'automatic' | 'manual' | 'gate';
