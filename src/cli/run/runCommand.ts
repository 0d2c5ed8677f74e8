import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import { defaultNodeCount } from "../../cluster/defaultNodeCount.ts"
import { parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { refuseCommand } from "../terminal/exitCode.ts"
import { makeSeedsFlag } from "../flags/seedsFlag.ts"
import {
  behaviourFlag,
  runClockFlag,
  clusterNameDefault,
  featureGatesFlag,
  runFilesFlag,
  hostDefault,
  inspectFlag,
  inspectOnlyFlag,
  kubeconfigFlag,
  pagePortNeedsTls,
  noTlsFlag,
  outputFlag,
  clusterNameFlag,
  hostFlag,
  inspectPortFlag,
  nodesFlag,
  pagePortFlag,
  portFlag,
  seedFlag,
  tokenFileFlag
} from "../flags/sharedFlags.ts"
import type { ExitCode } from "../terminal/exitCode.ts"

const storiesArgument = Argument.String("STORY").pipe(
  Argument.withDescription(
    "A story: a YAML file of kind Scenario, a module that exports one as `story`, or a folder of YAML files"
  ),
  Argument.variadic()
)

const seedsFlag = makeSeedsFlag("The seeds to play each story with, on all cores; by default its own seed")

const reportFlag = Flag.Literals("report", ["html", "json", "junit"]).pipe(
  Flag.withDescription(
    "The reports to write for each story; without --out, one report of one story is printed"
  ),
  Flag.atLeast(0)
)

const outFlag = Flag.String("out").pipe(
  Flag.withMetavar("DIR"),
  Flag.withDescription("The folder for reports, and for the smallest failing version of each failed story"),
  Flag.optional
)

const untilFlag = Flag.String("until").pipe(
  Flag.withMetavar("TIME"),
  Flag.withDescription("With --up: the time up to which the story is played, such as 3m"),
  Flag.filterMap(
    (text) => {
      const millis = parseDuration(text)
      return millis === undefined || millis < 0 ? Option.none() : Option.some(millis)
    },
    () => "a time since the story began, such as 90s or 3m"
  ),
  Flag.optional
)

const upFlag = Flag.Boolean("up").pipe(
  Flag.withDescription("Serve the cluster as it is at --until, with a paused clock"),
  Flag.withDefault(false)
)

const flags = {
  stories: storiesArgument,
  files: runFilesFlag,
  clock: runClockFlag.pipe(Flag.optional),
  seed: seedFlag.pipe(Flag.optional),
  seeds: seedsFlag,
  nodes: nodesFlag.pipe(Flag.optional),
  behaviour: behaviourFlag,
  featureGates: featureGatesFlag,
  output: outputFlag,
  inspect: inspectFlag,
  inspectOnly: inspectOnlyFlag,
  inspectPort: inspectPortFlag.pipe(Flag.optional),
  report: reportFlag,
  out: outFlag,
  until: untilFlag,
  up: upFlag,
  name: clusterNameFlag.pipe(Flag.optional),
  host: hostFlag.pipe(Flag.optional),
  port: portFlag.pipe(Flag.optional),
  pagePort: pagePortFlag.pipe(Flag.optional),
  noTls: noTlsFlag,
  kubeconfig: kubeconfigFlag,
  tokenFile: tokenFileFlag
}

type RunFlags = Command.Command.Config.Infer<typeof flags>

export const runCommand = (exit: (code: ExitCode) => void) =>
  Command.make(
    "run",
    flags,
    Effect.fnUntraced(function* (given) {
      const problems = flagProblems(given)
      exit(
        problems.length > 0
          ? refuseCommand(...problems.map((it) => `error: ${it}`))
          : yield* runStoriesOrFiles(given)
      )
    })
  ).pipe(
    Command.withDescription(
      "Play stories, or apply manifests. A story describes events in a cluster and conditions that must hold. It is " +
        "played with one seed or many; a failure is reported with the command that repeats it and the smallest story " +
        "that still fails. With -f, each manifest is applied in turn, after the rollouts of the one before have " +
        "completed or failed. " +
        "Exits 0 when every story passes and every rollout completes, 1 when one does not, 2 when an argument or a " +
        "file is invalid"
    ),
    Command.withShortDescription("Play stories, or apply manifests in turn and watch the rollouts"),
    Command.withExamples([
      {
        command: "charthouse run stories/ --seeds 1..100 --report junit --out reports",
        description: "Play every story of a folder a hundred times, for CI"
      },
      {
        command: "charthouse run story.yaml --seed 17 --until 3m --up",
        description: "Inspect one moment of a story with kubectl"
      },
      {
        command: "charthouse run story.yaml --seed 17 --inspect deployment/web",
        description: "Watch a story's statecharts in Stately's inspector"
      },
      {
        command: "charthouse run -f web-v1.yaml -f web-v2.yaml",
        description: "Roll out one version after another"
      },
      {
        command: "charthouse run -f web.yaml --behaviour behaviours.yaml -o json",
        description: "Choose the behaviour of Pods, and print the result as JSON"
      },
      {
        command: "charthouse run -f web.yaml --clock 60x --seed 7",
        description: "Watch at a minute each second"
      }
    ])
  )

const runStoriesOrFiles = (given: RunFlags): Effect.Effect<ExitCode> => {
  if (given.stories.length === 0) return runManifestFiles(given)
  return given.up ? serveStoryCluster(given) : playStories(given)
}

const runManifestFiles = (given: RunFlags): Effect.Effect<ExitCode> =>
  Effect.flatMap(
    Effect.promise(() => import("./runFiles.ts")),
    ({ runFiles }) =>
      runFiles({
        files: given.files,
        clock: Option.getOrElse(given.clock, () => ({ text: "virtual", setting: "virtual" }) as const),
        seed: Option.getOrElse(given.seed, () => 1),
        nodes: Option.getOrElse(given.nodes, () => defaultNodeCount),
        behaviour: Option.getOrUndefined(given.behaviour),
        featureGates: Option.getOrUndefined(given.featureGates),
        output: Option.getOrUndefined(given.output),
        inspectPort: inspectOf(given)?.port,
        inspectOnly: Option.getOrUndefined(given.inspectOnly)
      })
  )

const inspectOf = (given: RunFlags) =>
  given.inspect || Option.isSome(given.inspectOnly)
    ? {
        port: Option.getOrElse(given.inspectPort, () => 0),
        only: Option.getOrUndefined(given.inspectOnly)
      }
    : undefined

const seedsOf = (given: RunFlags): ReadonlyArray<number> | undefined =>
  Option.getOrUndefined(Option.orElse(given.seeds, () => Option.map(given.seed, (seed) => [seed])))

const playStories = (given: RunFlags): Effect.Effect<ExitCode> =>
  Effect.flatMap(
    Effect.promise(() => import("./runStories.ts")),
    ({ runStories }) =>
      runStories({
        paths: given.stories,
        seeds: seedsOf(given),
        reports: given.report,
        out: Option.getOrUndefined(given.out),
        inspect: inspectOf(given)
      })
  )

const serveStoryCluster = (given: RunFlags): Effect.Effect<ExitCode> =>
  Effect.flatMap(
    Effect.promise(() => import("./serveStory.ts")),
    ({ serveStory }) =>
      serveStory({
        paths: given.stories,
        seeds: seedsOf(given),
        // --up without --until has been refused by then.
        untilMillis: Option.getOrElse(given.until, () => 0),
        name: Option.getOrElse(given.name, () => clusterNameDefault),
        host: Option.getOrElse(given.host, () => hostDefault),
        port: Option.getOrElse(given.port, () => 0),
        tls: !given.noTls,
        kubeconfig: Option.getOrUndefined(given.kubeconfig),
        pagePort: Option.getOrElse(given.pagePort, () => 0),
        tokenFile: Option.getOrUndefined(given.tokenFile),
        inspect: inspectOf(given)
      })
  )

/** Flags that contradict each other or have no effect, a sentence each. */
const flagProblems = (given: RunFlags): ReadonlyArray<string> => {
  const isGiven: Readonly<Record<string, boolean>> = {
    "--clock": Option.isSome(given.clock),
    "--nodes": Option.isSome(given.nodes),
    "--behaviour": Option.isSome(given.behaviour),
    "--feature-gates": Option.isSome(given.featureGates),
    "--output": Option.isSome(given.output),
    "--inspect": given.inspect,
    "--inspect-only": Option.isSome(given.inspectOnly),
    "--inspect-port": Option.isSome(given.inspectPort),
    "--seeds": Option.isSome(given.seeds),
    "--report": given.report.length > 0,
    "--out": Option.isSome(given.out),
    "--until": Option.isSome(given.until),
    "--up": given.up,
    "--name": Option.isSome(given.name),
    "--host": Option.isSome(given.host),
    "--port": Option.isSome(given.port),
    "--page-port": Option.isSome(given.pagePort),
    "--token-file": Option.isSome(given.tokenFile),
    "--no-tls": given.noTls,
    "--kubeconfig": Option.isSome(given.kubeconfig)
  }
  const flagsWithoutEffect = (names: ReadonlyArray<string>, why: string): ReadonlyArray<string> =>
    names.filter((name) => isGiven[name] === true).map((name) => `${name} ${why}`)
  const [story] = given.stories
  const [file] = given.files
  if (story === undefined && file === undefined)
    return ["say what to run: stories, as in charthouse run STORY, or files of objects with --filename"]
  if (story !== undefined && file !== undefined)
    return [`a run is of stories or of files: ${story} is a story, and -f ${file} is a file of objects`]
  if (story === undefined)
    return flagsWithoutEffect(
      [...manySeedsFlags, ...servingFlags, "--until", "--up"],
      "is for stories, and with -f there is none"
    )
  return [
    ...flagsWithoutEffect(["--nodes", "--behaviour"], "is for -f FILE: a story has it in its spec"),
    ...flagsWithoutEffect(["--feature-gates"], "is for -f FILE: a story is played with the defaults"),
    ...flagsWithoutEffect(["--clock"], "is for -f FILE: a story is played in virtual time"),
    ...flagsWithoutEffect(["--output"], "is for -f FILE: what came of a story is written with --report"),
    ...(given.stories.length > 1 ? flagsWithoutEffect(["--inspect", "--inspect-only"], oneStoryText) : []),
    ...(isGiven["--seeds"] === true ? flagsWithoutEffect(["--inspect", "--inspect-only"], oneStoryText) : []),
    ...(isGiven["--page-port"] === true && given.noTls ? [pagePortNeedsTls] : []),
    ...(isGiven["--seeds"] === true && Option.isSome(given.seed)
      ? ["--seed is one seed and --seeds are many: say one of the two"]
      : []),
    ...(given.up
      ? [
          ...flagsWithoutEffect(
            manySeedsFlags,
            "is for stories that are played to their end, and --up stops before"
          ),
          ...(isGiven["--until"] === true
            ? []
            : ["--up needs --until: the moment at which the cluster is served"]),
          ...(given.stories.length > 1 ? ["--up serves one story, and these are several"] : [])
        ]
      : flagsWithoutEffect([...servingFlags, "--until"], "goes with --up"))
  ]
}

const oneStoryText = "shows one story with one seed: say which"
const manySeedsFlags = ["--seeds", "--report", "--out"]
const servingFlags = ["--name", "--host", "--port", "--page-port", "--token-file", "--no-tls", "--kubeconfig"]
