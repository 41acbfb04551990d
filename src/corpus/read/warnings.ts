/** Something about a file that was read all the same: said to the person, counted, never fatal. */
export interface ReadWarning {
  readonly code: 'encoding' | 'front-matter' | 'bad-rows' | 'no-text';
  /** Names the file, says what was wrong and what became of it. */
  readonly message: string;
  /** Rows, characters … that it concerns. */
  readonly count: number;
}
