import { describe, expect, it } from "vitest"
import { InvalidOptions, openCluster, steady } from "../../src/index.ts"
import { defineStrategy } from "../../src/strategies.ts"
import type { ClusterOptions } from "../../src/index.ts"

describe("invalid options of openCluster", () => {
  const rows: ReadonlyArray<{
    readonly why: string
    readonly options: object
    readonly says: string | RegExp
  }> = [
    {
      why: "a negative number of nodes",
      options: { nodes: -1 },
      says: "nodes must be an integer from 0 to 5000"
    },
    { why: "a fraction of a node", options: { nodes: 1.5 }, says: "nodes must be an integer" },
    { why: "a speed of zero", options: { clock: { speed: 0 } }, says: "clock must be" },
    { why: "a clock that is null", options: { clock: null }, says: "clock must be" },
    {
      why: "a start that is no time",
      options: { startMillis: Number.NaN },
      says: "startMillis must be Unix milliseconds that a Date can hold, not NaN"
    },
    {
      why: "a start as a text",
      options: { startMillis: "2026-01-01" },
      says: 'startMillis must be Unix milliseconds that a Date can hold, not "2026-01-01"'
    },
    { why: "the command line's form of a speed", options: { clock: "60x" }, says: "clock must be" },
    {
      why: "an unknown option",
      options: { sed: 3 },
      says: "sed is no option of a cluster: did you mean seed?"
    },
    {
      why: "an unknown option of the clock",
      options: { replicas: 3 },
      says: /replicas is no option of a cluster: the options are clock, seed,/
    },
    { why: "a seed that is NaN", options: { seed: Number.NaN }, says: "seed must be an integer, not NaN" },
    { why: "a seed that is a string", options: { seed: "7" }, says: 'seed must be an integer, not "7"' },
    {
      why: "a wrong type of nodes",
      options: { nodes: null },
      says: "nodes must be an integer from 0 to 5000, not null"
    },
    {
      why: "a node without cores",
      options: { nodes: { count: 2, cpu: "many" } },
      says: 'nodes.cpu must be a quantity from 0 on, such as "4" or "500m", not "many"'
    },
    {
      why: "a negative number of cores",
      options: { nodes: { cpu: "-4" } },
      says: "nodes.cpu must be a quantity"
    },
    {
      why: "an unknown suffix of memory",
      options: { nodes: { memory: "1x" } },
      says: 'nodes.memory must be a quantity from 0 on, such as "8Gi", not "1x"'
    },
    {
      why: "a negative number of Pods",
      options: { nodes: { pods: -4 } },
      says: "nodes.pods must be an integer from 0"
    },
    {
      why: "an invalid label key",
      options: { nodes: { labels: { "a b": "c" } } },
      says: 'nodes.labels: "a b": name'
    },
    {
      why: "an invalid label value",
      options: { nodes: { labels: { a: "b c" } } },
      says: 'nodes.labels: "b c": a valid label'
    },
    {
      why: "an unknown option of nodes",
      options: { nodes: { cpus: "4" } },
      says: "cpus is no option of nodes: did you mean cpu?"
    },
    {
      why: "behaviours that are no list",
      options: { behaviours: steady },
      says: 'behaviours must be a list, not {"name":"steady"'
    },
    {
      why: "a behaviour by its name, which only the option behaviour takes",
      options: { behaviours: ["steady"] },
      says: 'behaviours[0] must be a behaviour, not "steady"'
    },
    {
      why: "a strategy without a chart",
      options: { strategies: [{ type: "Odd", state: "odd" }] },
      says: 'strategies[0] must be a result of defineStrategy, not {"type":"Odd","state":"odd"}'
    },
    {
      why: "a module in place of what it exports",
      options: { steering: [{ default: {} }] },
      says: 'steering[0] must be a result of defineSteering, not {"default":{}}'
    },
    {
      why: "a life that is no function",
      options: { livesOf: steady },
      says: "livesOf must be a function"
    },
    {
      why: "a shuffle seed that is text",
      options: { shuffleSeed: "7" },
      says: "shuffleSeed must be an integer"
    },
    {
      why: "an option that is neither true nor false",
      options: { why: "web" },
      says: "why must be true or false"
    },
    {
      why: "an inspector that has not been awaited",
      options: { inspect: Promise.resolve() },
      says: "inspect must be a function, or what openInspector resolves with, not a promise"
    },
    { why: "an unknown behaviour", options: { behaviour: "hasty" }, says: 'no behaviour is called "hasty"' },
    {
      why: "a delay without a unit",
      options: { behaviour: { ...steady, name: "quick", start: "soon" } },
      says: 'behaviour "quick"'
    },
    {
      why: "a chart with a missing target state",
      options: {
        strategies: [
          defineStrategy({
            type: "Odd",
            state: "odd",
            guards: {},
            commands: {},
            isCreating: () => false,
            chart: { initial: "nowhere", states: { done: { type: "final" } } }
          })
        ]
      },
      says: 'the strategy "Odd" goes to "nowhere"'
    },
    {
      why: "a strategy that replaces a state of the rollout",
      options: {
        strategies: [
          defineStrategy({
            type: "Odd",
            state: "paused",
            guards: {},
            commands: {},
            isCreating: () => false,
            chart: { initial: "done", states: { done: { type: "final" } } }
          })
        ]
      },
      says: "is taken"
    }
  ]
  it.each(rows)("are refused: $why", async ({ options, says }) => {
    await expect(openCluster(options as ClusterOptions)).rejects.toThrow(says)
  })

  it("reject with InvalidOptions", async () => {
    await expect(openCluster(null as never)).rejects.toBeInstanceOf(InvalidOptions)
    await expect(openCluster([] as never)).rejects.toThrow("the options must be an object, not []")
    await expect(openCluster("virtual" as never)).rejects.toThrow("the options must be an object")
    await expect(openCluster({ nodes: -1, seed: 0.5 })).rejects.toBeInstanceOf(InvalidOptions)
  })
})
