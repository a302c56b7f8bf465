// In the place of training.ts where a module has no trainers.
export const makeHost = (): undefined => undefined;
export const makeWorkerTrainers = (): object => ({});
