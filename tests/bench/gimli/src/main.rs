//! gimli's addr2line as a batch: a module's path is the argument, its addresses come on standard
//! input, one hexadecimal number a line. Each answer is "function at file:line" for every frame,
//! innermost first, demangled. Sections are used where they lie in the mapped file; compressed
//! ones are inflated once.

use std::borrow::Cow;
use std::io::{self, BufRead, BufWriter, Write};

use gimli::{EndianSlice, LittleEndian};
use object::{Object, ObjectSection, ObjectSymbol};

type Slice = EndianSlice<'static, LittleEndian>;

fn load(file: &object::File<'static>, id: gimli::SectionId) -> Result<Slice, gimli::Error> {
    let bytes: &'static [u8] = match file.section_by_name(id.name()) {
        None => &[],
        Some(section) => match section.uncompressed_data() {
            Ok(Cow::Borrowed(bytes)) => bytes,
            Ok(Cow::Owned(bytes)) => Box::leak(bytes.into_boxed_slice()),
            Err(_) => &[],
        },
    };
    Ok(EndianSlice::new(bytes, LittleEndian))
}

fn symbol_name(symbols: &object::SymbolMap<object::SymbolMapName>, address: u64) -> String {
    match symbols.get(address) {
        Some(symbol) => addr2line::demangle_auto(Cow::from(symbol.name()), None).into_owned(),
        None => "??".to_string(),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: gimli_addr2line FILE <ADDRESSES")?;
    let map: &'static memmap2::Mmap =
        Box::leak(Box::new(unsafe { memmap2::Mmap::map(&std::fs::File::open(path)?)? }));
    let file = object::File::parse(&map[..])?;
    let dwarf = gimli::Dwarf::load(|id| load(&file, id))?;
    let context = addr2line::Context::from_dwarf(dwarf)?;
    let mut symbols = file.symbol_map();
    if symbols.symbols().is_empty() {
        let names = file
            .dynamic_symbols()
            .filter(|s| s.is_definition() && s.kind() == object::SymbolKind::Text)
            .filter_map(|s| s.name().ok().map(|n| object::SymbolMapName::new(s.address(), n)))
            .collect();
        symbols = object::SymbolMap::new(names);
    }

    let mut out = BufWriter::new(io::stdout());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let address = u64::from_str_radix(line.trim_start_matches("0x"), 16)?;
        let mut frames = context.find_frames(address)?;
        let mut any = false;
        while let Some(frame) = frames.next()? {
            any = true;
            let name = match &frame.function {
                Some(function) => function.demangle()?.into_owned(),
                None => symbol_name(&symbols, address),
            };
            let (file, number) = match &frame.location {
                Some(l) => (l.file.unwrap_or("??"), l.line.unwrap_or(0)),
                None => ("??", 0),
            };
            writeln!(out, "{name} at {file}:{number}")?;
        }
        if !any {
            writeln!(out, "{} at ??:0", symbol_name(&symbols, address))?;
        }
        writeln!(out)?;
    }
    Ok(())
}
