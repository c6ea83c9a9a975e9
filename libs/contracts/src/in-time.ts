/** What is answered within so many milliseconds; `otherwise` when it fails or is late. The work itself is not stopped. */
export const inTime = async <T, U>(answer: Promise<T>, ms: number, otherwise: U): Promise<T | U> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<U>((resolve) => (timer = setTimeout(resolve, ms, otherwise)));
  try {
    return await Promise.race([answer.catch(() => otherwise), late]);
  } finally {
    clearTimeout(timer);
  }
};
