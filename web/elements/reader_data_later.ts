// In the place of reader_data.ts on the site: loaded when a reader gives a file, not with the first visit.
type Readers = typeof import("./reader_data.ts");

const readers = (): Promise<Readers> => import("./reader_data.ts");

export const readFile: Readers["readFile"] = async (...all) => (await readers()).readFile(...all);
export const readMatrixFile: Readers["readMatrixFile"] = async (...all) =>
  (await readers()).readMatrixFile(...all);
