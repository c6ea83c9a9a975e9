import { analyse } from './analyse.ts';
import { analyseQuery } from './analyse-query.ts';

type Table = readonly (readonly [text: string, found: string, notFound: string])[];

/** Whether a chunk with this text is found by this query: for scripts without spaces, by all of its characters and pairs. */
const finds = (query: string, text: string, language: string, all: boolean): boolean => {
  const terms = [...analyseQuery(query, [language]).keys()];
  const { terms: held } = analyse(text, language);
  return terms.length > 0 && (all ? terms.every((term) => held.has(term)) : terms.some((term) => held.has(term)));
};

/** `found`, `notFound`: queries of one word each, separated by spaces. */
const WORDS: Readonly<Record<string, Table>> = {
  hi: [
    ['किताब', 'किताबें किताबों', 'हिसाब'],
    ['लड़का', 'लड़के लड़कों लडका', 'लकड़ी'],
    ['भाषा', 'भाषाओं भाषाएँ', 'आशा'],
    ['हिन्दी', 'हिंदी', 'हिंसा'],
    ['ज़मीन', 'जमीन', 'ज़मानत'],
    ['चाँद', 'चांद', 'चंदन'],
    ['सम्बन्ध', 'संबंध संबंधों', 'संभव'],
    ['पुस्तकें', 'पुस्तक पुस्तकों', 'पुरस्कार'],
    ['दिन', 'दिनों', 'दीन दान'],
    ['कमल', 'कमल', 'कमाल काम'],
  ],
  th: [
    ['โรงเรียนอยู่ที่ไหน', 'โรงเรียน', 'โรงพยาบาล เรือน'],
    ['ภาษาไทยเป็นภาษาที่สวยงาม', 'ภาษา ไทย สวยงาม', 'ภาพ งา'],
    ['ฉันดื่มน้ำทุกวัน', 'น้ำ ดื่ม', 'น้ำตาล นา'],
    ['น้ำตาลทรายราคาแพง', 'น้ำตาล ราคา', 'ตา รา'],
    ['แมวกินปลา', 'แมว กิน ปลา', 'แม ลา'],
    ['ทำงานที่กรุงเทพมหานคร', 'ทำงาน กรุงเทพมหานคร', 'เทพ นคร'],
    ['มหาวิทยาลัยเชียงใหม่', 'มหาวิทยาลัย เชียงใหม่', 'ใหม่ มหา'],
    ['รถไฟความเร็วสูง', 'รถไฟ', 'ไฟ รถยนต์'],
  ],
  ar: [
    ['الكتاب', 'كتاب والكتاب بالكتاب للكتاب كِتَابٌ', 'كاتب'],
    ['المدرسة', 'مدرسة والمدرسة بالمدرسة', 'دراسة'],
    ['أحمد', 'احمد', 'محمد'],
    ['إسلام', 'اسلام الإسلام', 'سلم'],
    ['المعلمون', 'معلم المعلمين', 'علم'],
    ['مُحَمَّد', 'محمد', 'أحمد'],
    ['السيارات', 'سيارة والسيارة', 'سير'],
    ['الآثار', 'اثار', 'ثأر'],
    ['العـــربية', 'العربية عربية', 'غرب'],
  ],
  tr: [
    ['ISPARTA', 'ısparta Isparta isparta', 'sparta'],
    ['İstanbul', 'istanbul İSTANBUL', 'stanbul'],
    ['IRMAKLAR', 'ırmak ırmaklar', 'ilmek'],
    ['kitaplar', 'kitap kitabı KİTAP', 'katip'],
    ['şehirler', 'şehir ŞEHİR', 'sihir'],
    ['kız', 'KIZ kızlar', 'kaz kiz'],
    ['ılık', 'ILIK', 'ilik'],
    ['API', 'api Api', 'ape'],
    ['evlerde', 'ev EVLER', 'av'],
  ],
  az: [['QIZ', 'qız', 'qaz']],
  el: [
    ['βιβλίο', 'βιβλία βιβλίων ΒΙΒΛΙΟ', 'βία'],
    ['δρόμος', 'δρόμοι δρόμου ΔΡΟΜΟΣ', 'τρόμος'],
    ['Αθήνα', 'ΑΘΗΝΑ Αθήνας', 'Θήβα'],
    ['πόλη', 'πόλεις πόλης ΠΟΛΗ', 'πύλη'],
    ['άνθρωπος', 'ανθρώπων άνθρωποι ΑΝΘΡΩΠΟΣ', 'άνθος'],
    ['θάλασσα', 'θάλασσες θάλασσας', 'γλώσσα'],
    ['γράφω', 'γράφει γράφουν', 'ράβω'],
    ['χώρα', 'χώρες ΧΩΡΑΣ', 'χορός'],
    ['σπίτι', 'σπίτια ΣΠΙΤΙΑ σπιτιού', 'σπαθί'],
    ['παιδιά', 'ΠΑΙΔΙΑ', 'πα πιο'],
  ],
  de: [
    ['Donaudampfschifffahrt', 'Schifffahrt Schiff Donau Dampf Fahrten', 'Schilf Schaft'],
    ['Krankenhäuser', 'Krankenhaus Haus Kranke', 'Hase Kranz'],
    ['Bundesregierung', 'Regierung Regierungen Bund', 'Bündel'],
    ['Geschwindigkeitsbegrenzung', 'Begrenzung Geschwindigkeiten', 'Grenze Windig'],
    ['Versicherungsgesellschaften', 'Versicherung Gesellschaft', 'Geselle'],
    ['Kinderbücher', 'Kinderbuch Buch Kind', 'Bauch Rinder'],
    ['Regierung', 'Bundesregierung', 'Gier'],
    ['Straße', 'STRASSE Straßenbahnhaltestelle', 'Strauß'],
    ['Verteidigung', 'verteidigen', 'Eid Beteiligung'],
    ['Erinnerung', 'Erinnerungen', 'Innung Rinne'],
    ['vergleichen', 'Vergleich', 'Eiche Leiche'],
    ['Informationen', 'Information', 'Form Formation'],
  ],
};

/** Chinese, Japanese and Korean: characters and pairs, so a query is found where all of them are. */
const PAIRS: Readonly<Record<string, Table>> = {
  zh: [
    ['黑豹队的防守', '黑豹 防守 黑豹队', '黑队 豹守'],
    ['人工智能技术', '人工智能 技术', '人能 术技'],
    ['北京大学', '北京 大学', '京北'],
    ['２０２４年的ＡＰＩ文档', 'api 2024 文档', '档文'],
    ['数据库管理系统', '数据库 系统', '库数'],
    ['研究生命起源', '生命 起源', '命生'],
    ['中华人民共和国', '人民 共和国', '民国'],
    ['机器学习模型', '机器学习 模型', '学机'],
  ],
  ja: [
    ['図書館で本を読む', '図書館 読む', '書図'],
    ['東京都に住んでいます', '東京都 東京', '都東'],
    ['コンピューターの画面', 'コンピューター 画面', 'ピュコン'],
    ['ｺﾝﾋﾟｭｰﾀｰの画面', 'コンピューター', 'ターピュ'],
    ['美味しかったです', '美味し', '味美'],
    ['新幹線の切符', '新幹線 切符', '線新'],
    ['データベース管理', 'データベース 管理', 'スデ'],
    ['日本語の文章', '日本語 文章', '本日'],
  ],
  ko: [
    ['학교에서 공부한다', '학교 공부', '교학'],
    ['학생들은 책을 읽었다', '학생 책', '생학'],
    ['서울특별시의 인구', '서울 서울특별시 인구', '울서'],
    ['컴퓨터가 고장났다', '컴퓨터 고장', '터컴'],
    ['한국어를 배우다', '한국어 한국', '국한'],
    ['대통령이 발표했다', '대통령 발표', '령대'],
    ['데이터베이스는 빠르다', '데이터베이스 데이터', '베데'],
    ['음식을 먹었습니다', '음식', '식음'],
  ],
};

const queries = (words: string): readonly string[] => words.split(' ').filter((word) => word !== '');

describe.each(Object.entries(WORDS))('Words of the language %s', (language, table) => {
  it.each(table)('%s is found by %s, not by %s', (text, found, notFound) => {
    for (const query of queries(found)) expect([query, finds(query, text, language, false)]).toEqual([query, true]);
    for (const query of queries(notFound)) expect([query, finds(query, text, language, false)]).toEqual([query, false]);
  });
});

describe.each(Object.entries(PAIRS))('Characters of the language %s', (language, table) => {
  it.each(table)('%s are found by %s, not all by %s', (text, found, notFound) => {
    for (const query of queries(found)) expect([query, finds(query, text, language, true)]).toEqual([query, true]);
    for (const query of queries(notFound)) expect([query, finds(query, text, language, true)]).toEqual([query, false]);
  });
});

describe('The parts of German compounds', () => {
  const terms = (text: string): readonly string[] => [...analyse(text, 'de').terms.keys()];

  it('include those of parts, and the word itself comes first', () =>
    expect(terms('Donaudampfschifffahrt')).toEqual(['donaudampfschifffahrt', 'donau', 'dampf', 'schifffahrt', 'schiff', 'fahrt']));
  it('are found across the letter between them, but an ending is no part', () =>
    expect(terms('Leistungsträgern')).toEqual(['leistungstrag', 'leistung', 'trag']));
  it('are no endings or fragments of words that only look like compounds', () => {
    for (const word of ['Parlamentarischen', 'Verteidigung', 'Diskussionen', 'transportieren', 'beteiligten'])
      expect(terms(word)).toHaveLength(1);
  });
  it('are not looked for in other languages', () =>
    expect([...analyse('Bundesregierung', 'en').terms.keys()]).toEqual(['bundesregierung']));
  it('are found quickly in words that are repetitions of parts', () => {
    const word = 'hausbahn'.repeat(8);
    expect(analyse(word, 'de').length).toBeLessThan(100);
  });
});
