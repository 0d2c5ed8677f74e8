import process from "node:process"

/** Under this name the processes that Stryker starts are told which tests to ask. */
export const suitesKey = "MUTATION_TESTS"

/** And under this name in which file to keep what they found out. */
export const findingsKey = "MUTATION_FINDINGS"

/** The tests that are asked: those of pure rules, charts and stores, where a test takes milliseconds. */
export const suites = process.env[suitesKey]?.split(" ") ?? [
  "test/{kubernetes,explain/objects,machines,store,manifests,behaviours}/**/*.test.ts"
]

/** This one starts processes of its own, which no mutant reaches. */
export const withoutSuites = ["test/machines/diagrams.test.ts"]

/** A test slower than this is not asked: the few there are would take longer than all others together. */
export const slowMillis = 600

/** Nor is one slower than this asked again when a mutant has to be loaded. */
export const slowToLoadMillis = 300
