import { uploadTarget } from './upload-target.ts';

const BASES = [
  { id: 'default', status: 'active' },
  { id: 'inbox', status: 'active' },
  { id: 'quiet', status: 'paused' },
  { id: 'old', status: 'archived' },
] as const;

describe('the target of uploads', () => {
  it('is the selected knowledge base, or the default one when none is selected', () => {
    expect(uploadTarget(BASES, 'inbox')).toEqual({
      id: 'inbox',
      options: [
        { id: 'default', label: 'default' },
        { id: 'inbox', label: 'inbox' },
      ],
    });
    expect(uploadTarget(BASES, undefined).id).toBe('default');
    expect(uploadTarget([], undefined)).toEqual({ id: 'default', options: [{ id: 'default', label: 'default' }] });
  });

  it.each([
    ['quiet', 'paused'],
    ['old', 'archived'],
  ])('stays the selected knowledge base %s when it is %s, and says why it accepts nothing', (id, status) => {
    const target = uploadTarget(BASES, id);
    expect(target).toMatchObject({ id, refusal: expect.stringContaining(`“${id}” is ${status} and accepts no documents`) });
    expect(target.options).toContainEqual({ id, label: `${id} (${status})` });
  });

  it('is refused when the default knowledge base is paused', () =>
    expect(
      uploadTarget(
        [
          { id: 'default', status: 'paused' },
          { id: 'inbox', status: 'active' },
        ],
        undefined,
      ),
    ).toMatchObject({ id: 'default', refusal: expect.stringContaining('“default” is paused') }));

  it('is refused when the selected knowledge base does not exist or is not loaded yet', () => {
    expect(uploadTarget(BASES, 'gone')).toMatchObject({ id: 'gone', refusal: expect.stringContaining('“gone” does not exist') });
    expect(uploadTarget(undefined, 'inbox')).toMatchObject({ id: 'inbox', refusal: expect.stringContaining('Loading') });
  });
});
