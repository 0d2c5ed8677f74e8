/** A story of a Deployment of six, with steps, weather and invariants of a test's own, as YAML in flow style. */
export const storyOf = (spec: {
  readonly name?: string
  readonly seed?: number
  readonly steps?: ReadonlyArray<object>
  readonly weather?: object
  readonly invariants?: ReadonlyArray<string>
  readonly limit?: object
}): string => {
  const { name = "web", steps = [setImage, complete], ...rest } = spec
  const start = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web" },
    spec: {
      replicas: 6,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image: "web:1" }] }
      }
    }
  }
  // JSON is YAML as well, and a file of one line says where it is wrong by its column alone.
  return `apiVersion: charthouse.dev/v1
kind: Scenario
metadata:
  name: ${JSON.stringify(name)}
spec: ${JSON.stringify({ start: [start], steps, ...rest })}
`
}

export const setImage = { setImage: "deployment/web", images: { web: "web:2" } }
export const complete = { waitFor: "deployment/web is complete" }

/** Kills and crashes, some of them too many at once for five to be left. */
export const stormy = {
  name: "stormy",
  weather: {
    every: "1s",
    until: "6s",
    faults: [
      { fault: "kill", pods: { deployment: "web", count: 1 } },
      { fault: "crash", pods: { deployment: "web", count: 1 }, weight: 2 }
    ]
  },
  invariants: ["deployment/web available >= 5"]
}
