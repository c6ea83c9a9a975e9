import type { Probe } from './scan.mjs';

export const textProbes: (name: string, text: string) => readonly Probe[];
export const vectorProbes: (name: string, vector: ArrayLike<number>) => readonly Probe[];
export const longWords: (text: string) => readonly string[];
