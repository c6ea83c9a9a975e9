/** Four digits with a sign; 0 has none. */
export const signed = (value: number): string => `${value > 0 ? '+' : ''}${value.toFixed(4)}`;
