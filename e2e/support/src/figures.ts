const figures: [name: string, value: string][] = [];

/** Records a measurement, which is printed at the end of the suite and not asserted. */
export const figure = (name: string, value: string | number): void => void figures.push([name, String(value)]);

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;
export const rounded = (seconds: number): string => `${seconds.toFixed(1)} s`;

afterAll(() => {
  const width = Math.max(0, ...figures.map(([name]) => name.length));
  process.stdout.write(figures.map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`).join(''));
});
