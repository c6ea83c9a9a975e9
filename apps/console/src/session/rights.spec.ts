import { rightsOf } from './rights.ts';

describe('the rights of a key in the console', () => {
  it('follow from its roles', () => {
    expect(rightsOf({ roles: ['reader'] })).toEqual({ reads: true, writes: false, administers: false, operates: false });
    expect(rightsOf({ roles: ['writer'] })).toEqual({ reads: true, writes: true, administers: false, operates: false });
    expect(rightsOf({ roles: ['admin'] })).toEqual({ reads: true, writes: true, administers: true, operates: false });
    expect(rightsOf({ roles: ['operator'] })).toEqual({ reads: false, writes: false, administers: false, operates: true });
    expect(rightsOf({ roles: [] })).toEqual({ reads: false, writes: false, administers: false, operates: false });
  });
});
