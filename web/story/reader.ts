// What a page of chapters does for who reads it, beside its figures: one file to load.
export { offerGuesses } from "./guesses.ts";
export { followReading } from "./reading.ts";
