/** Objects as the store holds them, with only what a test is about said in its words. */

export * from "./builders/storedObjects.ts"
export * from "./builders/workloads.ts"
export * from "./builders/pods.ts"
export * from "./builders/nodes.ts"
export * from "./builders/events.ts"
