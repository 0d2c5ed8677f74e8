import { Visitor, type ESTree } from "rolldown/utils"
import type { Plugin } from "rolldown"

/**
 * Writes a file's outermost arrow functions as function expressions. V8 skips what is in those until they are called,
 * but parses all of an arrow function in a module at once.
 */
export const functionExpressions: Plugin = {
  name: "function expressions",
  renderChunk(code) {
    let written = ""
    let end = 0
    for (const arrow of outermostArrows(this.parse(code))) {
      written += code.slice(end, arrow.start) + toFunctionExpression(code, arrow)
      end = arrow.end
    }
    return written + code.slice(end)
  }
}

/** Without arrow functions that use the outer `this` or `arguments`. */
const outermostArrows = (program: ESTree.Program): ReadonlyArray<ESTree.ArrowFunctionExpression> => {
  const arrows: Array<ESTree.ArrowFunctionExpression> = []
  let functionDepth = 0
  let outermost: ESTree.ArrowFunctionExpression | undefined
  let usesOuter = false
  const enter = (): void => void functionDepth++
  const leave = (): void => void functionDepth--
  const noteUse = (): void => {
    usesOuter ||= functionDepth === 0
  }
  const visitor = new Visitor({
    FunctionDeclaration: enter,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enter,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: (arrow) => {
      if (functionDepth > 0 || outermost !== undefined) return
      outermost = arrow
      usesOuter = false
    },
    "ArrowFunctionExpression:exit": (arrow) => {
      if (arrow !== outermost) return
      outermost = undefined
      if (!usesOuter) arrows.push(arrow)
    },
    ThisExpression: noteUse,
    Super: noteUse,
    MetaProperty: noteUse,
    Identifier: ({ name }) => {
      if (name === "arguments") noteUse()
    }
  })
  visitor.visit(program)
  return arrows
}

const toFunctionExpression = (
  code: string,
  { start, end, async, params, body }: ESTree.ArrowFunctionExpression
): string => {
  const sign = code.indexOf("=>", params.at(-1)?.end ?? start)
  const head = code.slice(start + (async ? "async".length : 0), sign).trim()
  const text = code.slice(sign + "=>".length, end).trim()
  return [
    async ? "async function" : "function",
    head.startsWith("(") ? head : `(${head})`,
    // Parentheses, since a line that ends in a comment after `return` would end the statement.
    body.type === "BlockStatement" ? ` ${text}` : ` { return ${text.startsWith("/") ? `(${text})` : text}; }`
  ].join("")
}
