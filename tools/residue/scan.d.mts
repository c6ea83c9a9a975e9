export type Probe = Readonly<{ name: string; bytes: Uint8Array }>;
export class Probes {
  constructor(probes: readonly Probe[]);
  inFile(path: string): Promise<Readonly<{ found: ReadonlySet<string>; size: number }>>;
}
export const scanFolder: (
  folder: string,
  probes: readonly Probe[],
) => Promise<Readonly<{ files: number; bytes: number; found: ReadonlyMap<string, readonly string[]> }>>;
