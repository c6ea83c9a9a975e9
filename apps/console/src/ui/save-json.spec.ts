import { fileNameOf } from './save-json.ts';

describe('the name of a file', () => {
  it.each([
    [['erasure', 'team:people'], 'erasure-team-people.json'],
    [['erasure', 'user:../ann smith'], 'erasure-user-..-ann-smith.json'],
  ])('of %j has only characters that every file system takes', (parts, name) => {
    expect(fileNameOf(...parts)).toBe(name);
  });
});
