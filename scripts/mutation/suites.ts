import process from "node:process"

/** Environment variable with the tests to run, for the processes that Stryker starts. */
export const suitesKey = "MUTATION_TESTS"

/** Environment variable with the file for the results of the run without mutants. */
export const findingsKey = "MUTATION_FINDINGS"

/** Tests of pure rules, charts and stores, which take milliseconds. */
export const suites = process.env[suitesKey]?.split(" ") ?? [
  "test/{kubernetes,explain/{objects,workloads},machines,store,manifests,behaviours}/**/*.test.ts"
]

/** These start processes of their own, which no mutant reaches, or write files. */
export const excludedSuites = ["test/machines/diagrams.test.ts", "test/store/durable/**/*.test.ts"]

/** Slower tests are left out: the few would take longer than all others together. */
export const slowMillis = 600

/** Slower tests are left out when a mutant needs a fresh load. */
export const slowToLoadMillis = 300
