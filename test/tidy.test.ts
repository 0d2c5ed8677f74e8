import { readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { describe, expect, it } from "vitest"
import { equivalentMutants } from "../scripts/mutation/equivalentMutants.ts"

/** The rules of the house that no linter knows. */

const root = resolve(import.meta.dirname, "..")
const linesMax = 400
const columnsMax = 120
const filesMax = 20
/** Per 100 lines of all sources together. */
const commentWordsMax = 54

const filesBelow = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(root, folder)).flatMap((name) => {
    const path = join(folder, name)
    return statSync(join(root, path)).isDirectory() ? filesBelow(path) : [path]
  })

const isTypeScript = (path: string): boolean => /\.tsx?$/.test(path)
/** What the build writes follows no rule. */
const isGenerated = (path: string): boolean => /^src[/\\]generated/.test(path)
const sources = ["src", "machines"]
  .flatMap(filesBelow)
  .filter((path) => isTypeScript(path) && !isGenerated(path))
const everything = [...sources, ...["test", "scripts"].flatMap(filesBelow).filter(isTypeScript)]
const textOf = (path: string): string => readFileSync(join(root, path), "utf8")

/** The project's files that a file imports, types included, relative to the root. */
const importsOf = (path: string): ReadonlyArray<string> =>
  [
    ...textOf(path).matchAll(/^(?:import|export)\s[^"']*?from\s+"(\.[^"]+)"/gms),
    ...textOf(path).matchAll(/\bimport\("(\.[^"]+)"\)/g)
  ].map(([, target = ""]) => relative(root, resolve(root, dirname(path), target)))

const roomOf = (path: string): string => {
  const [top = "", room = ""] = path.split("/")
  if (top === "machines") return "machines"
  return room.endsWith(".ts") ? "index" : room
}

/** Which rooms a room may import from, types included. A room may only name rooms above its own line. */
const arrows: Readonly<Record<string, ReadonlyArray<string>>> = {
  generated: [],
  kubernetes: ["generated"],
  platform: [],
  compiler: [],
  behaviours: ["kubernetes"],
  drawing: ["kubernetes"],
  machines: ["kubernetes"],
  options: ["kubernetes"],
  store: ["kubernetes"],
  manifests: ["kubernetes", "behaviours", "store"],
  runtime: ["compiler", "kubernetes", "store"],
  client: ["kubernetes", "store", "manifests"],
  controllers: ["kubernetes", "machines", "store", "runtime"],
  scheduler: ["kubernetes", "store", "runtime", "controllers"],
  faults: ["kubernetes", "behaviours", "store", "runtime"],
  steering: ["kubernetes", "behaviours", "machines", "store", "manifests", "runtime", "controllers"],
  inspect: ["kubernetes", "platform", "drawing", "machines", "runtime"],
  explain: [
    "compiler",
    "kubernetes",
    "machines",
    "platform",
    "store",
    "runtime",
    "client",
    "faults",
    "steering",
    "inspect"
  ],
  recording: ["kubernetes", "store", "explain"],
  forecast: ["kubernetes", "machines", "store", "faults"],
  page: ["kubernetes", "drawing", "machines", "inspect", "explain", "recording", "forecast"],
  server: [
    "generated",
    "kubernetes",
    "machines",
    "platform",
    "store",
    "manifests",
    "runtime",
    "faults",
    "recording"
  ],
  steer: [
    "kubernetes",
    "machines",
    "platform",
    "store",
    "runtime",
    "client",
    "controllers",
    "steering",
    "server"
  ],
  cluster: [
    "generated",
    "kubernetes",
    "platform",
    "behaviours",
    "machines",
    "options",
    "store",
    "manifests",
    "runtime",
    "controllers",
    "scheduler",
    "faults",
    "steering",
    "inspect",
    "explain",
    "recording",
    "forecast",
    "server"
  ],
  scenario: [
    "kubernetes",
    "platform",
    "behaviours",
    "machines",
    "options",
    "store",
    "manifests",
    "runtime",
    "faults",
    "explain",
    "cluster"
  ],
  testing: [
    "kubernetes",
    "platform",
    "options",
    "store",
    "manifests",
    "client",
    "explain",
    "server",
    "cluster"
  ],
  plan: [
    "compiler",
    "kubernetes",
    "behaviours",
    "machines",
    "options",
    "store",
    "manifests",
    "steering",
    "cluster",
    "scenario"
  ],
  reports: ["generated", "kubernetes", "platform", "drawing", "scenario", "plan"],
  cli: [
    "generated",
    "kubernetes",
    "machines",
    "platform",
    "behaviours",
    "store",
    "manifests",
    "runtime",
    "client",
    "faults",
    "inspect",
    "explain",
    "recording",
    "forecast",
    "steering",
    "server",
    "steer",
    "cluster",
    "scenario",
    "plan",
    "reports"
  ],
  index: [
    "kubernetes",
    "behaviours",
    "machines",
    "options",
    "store",
    "manifests",
    "runtime",
    "faults",
    "explain",
    "recording",
    "server",
    "cluster"
  ]
}

describe("imports", () => {
  it("of a room go only to the rooms below it", () => {
    const wrong = sources.flatMap((path) =>
      importsOf(path)
        .filter((target) => roomOf(target) !== roomOf(path))
        .filter((target) => !(arrows[roomOf(path)] ?? []).includes(roomOf(target)))
        .map((target) => `${path} -> ${target}`)
    )
    const rooms = Object.keys(arrows)
    const upwards = rooms.flatMap((room, floor) =>
      (arrows[room] ?? [])
        .filter((target) => rooms.indexOf(target) >= floor)
        .map((target) => `${room} -> ${target}`)
    )
    expect({ wrong, upwards }).toEqual({ wrong: [], upwards: [] })
  })

  it("form no cycle, types included", () => {
    const visiting: Array<string> = []
    const done = new Set<string>()
    const cycles: Array<string> = []
    const visit = (path: string): void => {
      if (done.has(path) || !path.endsWith(".ts")) return
      if (visiting.includes(path)) {
        cycles.push([...visiting.slice(visiting.indexOf(path)), path].join(" -> "))
        return
      }
      visiting.push(path)
      for (const target of importsOf(path)) visit(target)
      visiting.pop()
      done.add(path)
    }
    for (const path of sources) visit(path)
    expect(cycles).toEqual([])
  })

  it("pass through no barrel but the package's entries", () => {
    const barrels = sources.filter((path) => {
      const statements = textOf(path)
        .replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, "")
        .trim()
      const rest = statements.replaceAll(/^export\s+(type\s+)?(\{[^}]*\}|\*)\s+from\s+"[^"]+"$/gm, "").trim()
      return statements !== "" && rest === ""
    })
    expect(barrels).toEqual(["src/index.ts", "src/strategies.ts"])
  })
})

describe("names", () => {
  const declarations = sources.flatMap((path) =>
    [
      ...textOf(path).matchAll(/^export (?:abstract )?(?:const|let|function|class|interface|type) (\w+)/gm)
    ].map(([, name = ""]) => ({ name, path }))
  )

  it("are exported once, a type and a value of one file together", () => {
    const paths = Map.groupBy(declarations, ({ name }) => name)
    const repeated = [...paths].flatMap(([name, all]) => {
      const files = [...new Set(all.map(({ path }) => path))]
      return files.length > 1 ? [`${name}: ${files.join(", ")}`] : []
    })
    expect(repeated).toEqual([])
  })

  it("are no bare participles or pronouns", () => {
    const bare = /^(asked|told|meant|heard|standing|taken|kept|said|those|whoever|nobody|somebody)$/i
    const files = everything.filter((path) => bare.test(path.split("/").at(-1)?.replace(/\..*$/, "") ?? ""))
    expect([...declarations.filter(({ name }) => bare.test(name)), ...files]).toEqual([])
  })
})

describe("a room", () => {
  it(`has at most ${filesMax} files beside its sub-rooms`, () => {
    const folders = Map.groupBy(sources, (path) => dirname(path))
    expect([...folders].filter(([, files]) => files.length > filesMax).map(([folder]) => folder)).toEqual([])
  })

  it("holds every source but the index and the entry for strategies", () => {
    const entries = ["src/index.ts", "src/strategies.ts"]
    expect(sources.filter((path) => dirname(path) === "src")).toEqual(entries)
  })
})

describe("sentences", () => {
  it("name the controller, the client, the watcher; no component is a person", () => {
    const persons = /\b(whoever|somebody|nobody|anybody|everybody|someone|anyone|everyone)\b/i
    const pages = [
      "machines/README.md",
      "README.md",
      "scripts/README.md",
      "test/README.md",
      ...filesBelow("src").filter((path) => path.endsWith(".md"))
    ]
    const found = [
      ...everything.filter((path) => path !== "test/tidy.test.ts" && persons.test(textOf(path))),
      ...pages.filter((path) => persons.test(textOf(path)))
    ]
    expect(found).toEqual([])
  })

  it(`of comments have at most ${commentWordsMax} words per 100 lines, so that they say why`, () => {
    const texts = sources.map(textOf)
    const lines = texts.flatMap((text) => text.split("\n")).length
    const comments = texts.flatMap((text) => text.match(/^\s*(?:\/\*[^]*?\*\/|\/\/.*$)/gm) ?? [])
    const words = comments.flatMap((comment) => comment.match(/[A-Za-z0-9][\w'.`-]*/g) ?? []).length
    expect((100 * words) / lines).toBeLessThan(commentWordsMax)
  })
})

describe("a file", () => {
  it(`has no more than ${linesMax} lines`, () => {
    expect(everything.filter((path) => textOf(path).trimEnd().split("\n").length > linesMax)).toEqual([])
  })

  it(`has no line of more than ${columnsMax} columns but where a sentence cannot be cut`, () => {
    const long = sources.flatMap((path) =>
      textOf(path)
        .split("\n")
        .filter((line) => line.length > columnsMax && !/["'`].{60,}["'`]/.test(line))
        .map((line) => `${path}: ${line.trim().slice(0, 60)}`)
    )
    expect(long).toEqual([])
  })
})

describe("the list of equivalent mutants", () => {
  it("names lines that stand in their files", () => {
    const isThere = ({ file, line }: (typeof equivalentMutants)[number]): boolean =>
      everything.includes(file) &&
      textOf(file)
        .split("\n")
        .some((it) => it.trim() === line)
    expect(equivalentMutants.filter((it) => !isThere(it))).toEqual([])
  })
})

describe("the house", () => {
  const banned: ReadonlyArray<{ readonly what: RegExp; readonly where: RegExp; readonly why: string }> = [
    { what: /\bMath\.random\b/, where: /^(src|machines)/, why: "chance comes from the seed" },
    {
      what: /\bDate\.now\b|\bnew Date\(\)/,
      where:
        /^(src\/(?!cluster\/(clusterCore|data\/clusterData)\.ts|explain\/remote|inspect|cli|page|server\/access\/serverCertificates\.ts|testing\/realTime\.ts)|machines)/,
      why: "time comes from the timeline"
    },
    {
      what: /\b(setTimeout|setInterval|setImmediate)\(/,
      where:
        /^(src\/(?!runtime\/(time\/(timeline|timeMover|userCode)|actors\/runningActor)\.ts|server\/(apiServer|responses\/responseStreams|traffic\/interceptors|verbs\/watchVerb)\.ts|testing\/realTime\.ts|cluster\/data\/commitSchedule\.ts|platform\/sockets|inspect|cli|page)|machines)/,
      why: "time comes from the timeline"
    },
    {
      what: /\bconsole\./,
      where: /^(src|machines)/,
      why: "a library does not print; a command prints by cli/terminal/terminal.ts"
    },
    {
      what: /\bprocess\.std(out|err)\b|"log-update"|"effect\/Console"|\bEffect\.log/,
      where:
        /^(src\/(?!cli\/(terminal\/terminal|terminal\/terminalFrame|main|start)\.ts|runtime\/logDefect\.ts)|machines)/,
      why: "control characters of objects are escaped in cli/terminal and runtime/logDefect.ts"
    },
    { what: /\bfromPromise\b|\binvoke:/, where: /^machines/, why: "a chart awaits nothing" },
    {
      what: /import (\* as \w+|\{[^}]*\b((writeFile|appendFile|copyFile|rename|truncate|write|cp)(Sync)?|createWriteStream|open)\b[^}]*\}) from "node:fs|"effect\/FileSystem"/,
      where:
        /^src\/(?!platform\/replaceFile\.ts|cli\/terminal\/terminal\.ts|store\/durable\/changeDatabase\.ts)/,
      why: "replaceFile writes files, so that a full disk destroys none"
    },
    { what: /\bexport default\b/, where: /^(src|machines|test|scripts)/, why: "a thing has one name" },
    { what: new RegExp(["\\bFIX", "ME\\b"].join("")), where: /./, why: "mend it" },
    { what: /\benum\s+\w+\s*\{/, where: /^(src|machines)/, why: "types are erased" },
    { what: /@ts-(ignore|expect-error)/, where: /^(src|machines)/, why: "types are kept" }
  ]
  for (const { what, where, why } of banned) {
    it(`has no ${what.source}: ${why}`, () => {
      const found = everything.filter((path) => where.test(path) && what.test(textOf(path)))
      expect(found).toEqual([])
    })
  }

  it("has no file named for nothing", () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc|manager|handler|data|info|process)\.ts$/i
    expect(everything.filter((path) => vague.test(path))).toEqual([])
  })

  it("names no host of a package registry and no path of a machine", () => {
    const files = [...everything, "package.json", "package-lock.json", "README.md", "machines/README.md"]
    const pattern = new RegExp(
      ["registry\\.npmjs", "registry\\.yarnpkg", ["/wo", "rk/main"].join("")].join("|")
    )
    expect(files.filter((path) => pattern.test(textOf(path)))).toEqual([])
  })
})
