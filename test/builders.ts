/** Objects as the store holds them (`aPod`) and as a client sends them (`podManifest`). */

export * from "./builders/storedObjects.ts"
export * from "./builders/workloads.ts"
export * from "./builders/jobs.ts"
export * from "./builders/cronJobs.ts"
export * from "./builders/pods.ts"
export * from "./builders/nodes.ts"
export * from "./builders/events.ts"
export * from "./builders/manifests.ts"
export * from "./builders/storage.ts"
