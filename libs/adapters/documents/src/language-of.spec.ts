import { languageOf } from './language-of.ts';

describe('languageOf', () => {
  it.each([
    ['en', 'The lighthouse keeper writes every passing ship into a book, so that nothing which happened at sea is forgotten.'],
    ['de', 'Die Wärterin des Leuchtturms schreibt jedes vorüberfahrende Schiff in ein Buch, damit nichts vergessen wird.'],
    ['fr', 'La gardienne du phare inscrit chaque navire qui passe dans un livre, afin que rien ne soit oublié par les gens du port.'],
    ['es', 'La guardiana del faro anota cada barco que pasa en un libro, para que nada de lo que sucede en el mar se olvide jamás.'],
    ['ru', 'Смотритель маяка записывает каждый проходящий корабль в книгу, чтобы ничего не забылось.'],
    ['ar', 'يسجل حارس المنارة كل سفينة تمر في كتاب حتى لا ينسى أهل الميناء شيئا مما حدث في البحر'],
    ['zh', '灯塔看守人把每一艘经过的船都记在书里，这样海上发生的一切都不会被遗忘。'],
    ['ja', '灯台守は通り過ぎるすべての船を帳面に書き留め、海で起きたことを忘れないようにします。'],
  ])('detects %s', (language, text) => {
    expect(languageOf(text)).toBe(language);
  });

  it('returns und if it is undecided', () => {
    for (const text of [
      '',
      'ok',
      'Section 1 paragraph. Section 2 paragraph.',
      '1 | 2 | 3\n4 | 5 | 6',
      '```\nfunction light(lamp) { return lamp.on(); } // switches the lamp on and returns\n```',
    ])
      expect(languageOf(text)).toBe('und');
  });
});
