/** @throws Error naming the variable */
export const wholeFrom = (variable: string, byDefault: number): number => {
  const value = Number(process.env[variable] ?? byDefault);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`${variable}: expected a whole number, at least 1, got "${process.env[variable]}"`);
  return value;
};
