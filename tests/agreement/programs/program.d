// Templates, ranges, closures, classes, scope guards.
import std.algorithm : filter, fold, map, sort;
import std.array : array, split;
import std.conv : to;
import std.range : iota, zip;
import std.regex : ctRegex, matchAll;
import std.stdio : writeln;

interface Rule
{
    double apply(double x) const;
}

final class Scale : Rule
{
    this(double factor) { this.factor = factor; }
    double apply(double x) const { return x * factor; }
    private double factor;
}

struct Table(Key, Value)
{
    Value[Key] rows;
    void add(Key key, Value value)
    {
        scope (exit) ++additions;
        rows[key] = rows.get(key, Value.init) ~ value;
    }
    size_t additions;
}

auto polynomial(int order)(double x)
{
    static if (order == 0)
        return 1.0;
    else
        return polynomial!(order - 1)(x) * x + order;
}

void main(string[] args)
{
    Table!(string, string) table;
    foreach (i; 0 .. 1000)
        table.add((i % 50).to!string, "item" ~ i.to!string ~ ",");
    auto words = table.rows.values.map!(row => row.split(",")).fold!((a, b) => a ~ b);
    words.sort!((a, b) => a.length < b.length);
    const Rule rule = new Scale(args.length + 0.5);
    auto sum = iota(0, 100).filter!(i => i % 3 == 0).map!(i => rule.apply(polynomial!4(i))).fold!((a, b) => a + b);
    auto numbers = words[$ / 2].matchAll(ctRegex!`\d+`).map!(m => m.hit.to!int).array;
    writeln(sum, " ", words.length, " ", numbers, " ", zip(words, words).array.length);
}
