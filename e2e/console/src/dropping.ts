import type { Page } from 'playwright-core';

export type Dropped = Readonly<{ name: string; text: string; type?: string }>;

/** Drops files onto the upload panel, with the events that a browser sends. */
export const drop = async (page: Page, files: readonly Dropped[]): Promise<void> => {
  const dataTransfer = await page.evaluateHandle(
    `((files) => {
      const carried = new DataTransfer();
      for (const { name, text, type } of files) carried.items.add(new File([text], name, { type: type ?? 'text/markdown' }));
      return carried;
    })(${JSON.stringify(files)})`,
  );
  for (const type of ['dragenter', 'dragover', 'drop']) await page.dispatchEvent('[data-drop-target]', type, { dataTransfer });
};
