// What people import of loading and of workers: types.
export type { InWorkers, Instance } from "./instance.ts";
export type { HereOptions, Load, LoadOptions, WorkerLoadOptions, WorkerOption } from "./load.ts";
export type { WorkerLike } from "./messages.ts";
export type { CallOptions, Received, Remote, RemoteCall, RemoteObject } from "./remote_types.ts";
export type { WorkerChoice } from "./start_workers.ts";
export type { ThreadsChoice } from "./threads.ts";
