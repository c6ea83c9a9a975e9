/** Returns the result if it arrives within `ms` milliseconds, and `otherwise` if it fails or is late. Does not stop the work. */
export const inTime = async <T, U>(result: Promise<T>, ms: number, otherwise: U): Promise<T | U> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<U>((resolve) => (timer = setTimeout(resolve, ms, otherwise)));
  try {
    return await Promise.race([result.catch(() => otherwise), late]);
  } finally {
    clearTimeout(timer);
  }
};
