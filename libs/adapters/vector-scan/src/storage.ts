import { KnowledgeError, Unavailable } from '@palimpsest/knowledge/errors';

/** Runs disk operations and converts errors of the operating system to `Unavailable`. */
export const storage = async <T>(doing: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KnowledgeError) throw error;
    throw new Unavailable(`${doing}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
};
